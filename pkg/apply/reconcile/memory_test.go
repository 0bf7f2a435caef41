package reconcile

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/drift"
)

func TestWhatAnAPIServerNeverTookIsNoNewsUntilItChanges(t *testing.T) {
	declared := parse(t, `{apiVersion: v1, kind: X, metadata: {name: c}, spec: {pruned: 1, folded: A, plain: x}}`)
	live := func(folded, plain, fields string) *unstructured.Unstructured {
		return owned(parse(t, `{apiVersion: v1, kind: X, metadata: {name: c}, spec: {folded: `+folded+`, plain: `+plain+`}}`), ours, fields)
	}
	compare := drift.Comparison{Manager: ours, Trust: drift.WrittenBefore}
	all := `{"f:spec":{"f:folded":{},"f:plain":{}}}`
	state := objectState{normalized: digestsOf(compare.Differences(declared, live("a", "x", all)))}
	cases := map[string]struct {
		live *unstructured.Unstructured
		want []string
	}{
		"nothing changed": {live: live("a", "x", all)},
		"another field was edited": {
			live: live("a", "evil", `{"f:spec":{"f:folded":{}}}`), want: []string{"/spec/plain"},
		},
		"the same field was edited": {
			live: live("evil", "x", `{"f:spec":{"f:plain":{}}}`), want: []string{"/spec/folded"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, each := range state.withoutNormalized(compare.Differences(declared, c.live)) {
				got = append(got, each.Path)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
