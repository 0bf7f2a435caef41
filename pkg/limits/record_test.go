package limits

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestParseReversesData(t *testing.T) {
	for name, spec := range map[string]spec{
		"no limits": open, "limits": limited, "empty lists": {AllowedPackages: []string{}, CatalogNamespaces: []string{}},
		"a selector with an empty part": {CatalogSelector: &metav1.LabelSelector{MatchLabels: map[string]string{},
			MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: metav1.LabelSelectorOpExists, Values: []string{}}}}},
		"a selector": {CatalogSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}},
	} {
		t.Run(name, func(t *testing.T) {
			want := Record{UID: "u", Limits: Of(spec)}
			data, err := want.Data()
			if err != nil {
				t.Fatal(err)
			}
			got, err := Parse(data)
			if err != nil || got.UID != want.UID || !got.Limits.equal(want.Limits) {
				t.Errorf("read as %+v (error %v), want %+v", got, err, want)
			}
		})
	}
}

func TestParseRejectsCorruptRecords(t *testing.T) {
	for name, data := range map[string]map[string]string{
		"empty": {}, "without UID": {"patch": "{}"}, "without limits": {"uid": "u"}, "no JSON": {"uid": "u", "patch": "spec: {}"},
		"another type": {"uid": "u", "patch": `{"spec":{"allowedPackages":"a"}}`},
	} {
		if record, err := Parse(data); err == nil {
			t.Errorf("%s: read as %+v", name, record)
		}
	}
}

// FuzzParse checks that a Record that Parse can read is unchanged by Data and Parse, and that any recorded limit holds a successor without
// limits.
func FuzzParse(f *testing.F) {
	f.Add("u", `{"spec":{"allowedPackages":["a-*"],"catalogNamespaces":[],"catalogSelector":{"matchLabels":{"a":"b"}},"defaultApproval":"Manual"}}`)
	f.Add("", "{}")
	f.Add("u", `{"spec":{"catalogSelector":{"matchExpressions":[{"key":"a","operator":"In"}]}}}`)
	f.Fuzz(func(t *testing.T, uid, patch string) {
		record, err := Parse(map[string]string{keyUID: uid, keyPatch: patch})
		if err != nil {
			return
		}
		data, err := record.Data()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(data)
		if err != nil || again.UID != record.UID || !again.Limits.equal(record.Limits) {
			t.Errorf("read again as %+v (error %v), want %+v", again, err, record)
		}
		held := Decide(Stored{Record: record}, manager("another", open)).Hold != ""
		if held == record.Limits.isZero() {
			t.Errorf("held: %t, by %+v", held, record.Limits)
		}
	})
}
