package revision

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
)

func TestCanonicalConfig(t *testing.T) {
	for _, group := range [][]string{
		{"", "null", "{}", " { } "},
		{`{"a":1,"b":{"c":[1,2]}}`, `{ "b": {"c": [1, 2]}, "a": 1 }`},
		{`{"big":12345678901234567890}`},
		{`{"big":12345678901234567891}`},
	} {
		for _, each := range group {
			got := CanonicalConfig(&runtime.RawExtension{Raw: []byte(each)})
			if want := CanonicalConfig(&runtime.RawExtension{Raw: []byte(group[0])}); got != want {
				t.Errorf("CanonicalConfig(%s) = %s, but CanonicalConfig(%s) = %s", each, got, group[0], want)
			}
		}
	}
	if CanonicalConfig(nil) != "" || ConfigDigest("") != "" {
		t.Error("an absent configuration has a text or a digest, so that revisions of older managers would be rendered again")
	}
	if CanonicalConfig(&runtime.RawExtension{Raw: []byte(`{"big":12345678901234567890}`)}) == CanonicalConfig(&runtime.RawExtension{Raw: []byte(`{"big":12345678901234567891}`)}) {
		t.Error("two different large numbers have equal texts")
	}
}
