package object

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAnItemGivesBackWhatWasDeclared(t *testing.T) {
	cases := map[string]string{
		"a small object":               `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {x: z}}, data: {a: b}}`,
		"an object that is compressed": `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: "` + strings.Repeat("lorem ipsum ", 1000) + `"}}`,
		"numbers keep their kind":      `{apiVersion: b.c/v1, kind: A, metadata: {name: a}, spec: {whole: 9007199254740993, broken: 0.5}}`,
		"empty and null stay":          `{apiVersion: b.c/v1, kind: A, metadata: {name: a}, spec: {none: null, map: {}, list: []}}`,
	}
	for name, text := range cases {
		t.Run(name, func(t *testing.T) {
			declared := parse(t, text)
			desired, err := NewDesired(Owner{Name: "memo"}, declared)
			if err != nil {
				t.Fatal(err)
			}
			want := declared.DeepCopy()
			labels := want.GetLabels()
			if labels == nil {
				labels = map[string]string{}
			}
			labels["core.rukpak.io/owner-kind"], labels["core.rukpak.io/owner-name"] = "BundleDeployment", "memo"
			want.SetLabels(labels)
			if diff := cmp.Diff(want.Object, desired.Object().Object); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if again, err := NewDesired(Owner{Name: "memo"}, declared); err != nil || again.Digest != desired.Digest {
				t.Errorf("the digest is another the second time, or %v", err)
			}
		})
	}
}

func TestStringDataIsDeclaredAsData(t *testing.T) {
	desired, err := NewDesired(Owner{Name: "memo"}, parse(t, `{apiVersion: v1, kind: Secret, metadata: {name: a}, stringData: {b: over, c: text}, data: {a: eA==, b: eA==}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"a": "eA==", "b": "b3Zlcg==", "c": "dGV4dA=="}
	if diff := cmp.Diff(want, desired.Object().Object["data"]); diff != "" || desired.Object().Object["stringData"] != nil {
		t.Errorf("%v (-want +got):\n%s", desired.Object().Object["stringData"], diff)
	}
}
