package object

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestSelfGrantedKindsHaveTheirDefinitionAndTheirPermissionsInTheSet(t *testing.T) {
	const label, all = `labels: {platform.openshift.io/aggregate-to-bundles: "true"}`, `[create, delete, get, list, patch, update, watch]`
	role := func(labels, rules string) string {
		return `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: memo-memos, ` + labels + `}, rules: ` + rules + `}`
	}
	memos := `[{apiGroups: [example.com], resources: [memos], verbs: ` + all + `}]`
	for name, c := range map[string]struct {
		role string
		want bool
	}{
		"all verbs":                   {role(label, memos), true},
		"every verb":                  {role(label, `[{apiGroups: [example.com], resources: [memos], verbs: ["*"]}]`), true},
		"every resource of the group": {role(label, `[{apiGroups: [example.com], resources: ["*"], verbs: `+all+`}]`), true},
		"two rules": {role(label, `[{apiGroups: [example.com], resources: [memos], verbs: [get, list, watch]}, `+
			`{apiGroups: [example.com], resources: [memos], verbs: [create, delete, patch, update]}]`), true},
		"without the label":                   {role("labels: {a: b}", memos), false},
		"without a verb that is needed":       {role(label, `[{apiGroups: [example.com], resources: [memos], verbs: [get, list, watch]}]`), false},
		"for one object only":                 {role(label, `[{apiGroups: [example.com], resources: [memos], resourceNames: [a], verbs: `+all+`}]`), false},
		"for a kind that others define":       {role(label, `[{apiGroups: [apps], resources: [statefulsets], verbs: `+all+`}]`), false},
		"rules that are none":                 {role(label, `[{verbs: 7}]`), false},
		"rules that an aggregation replaces":  {strings.Replace(role(label, memos), "rules:", "aggregationRule: {clusterRoleSelectors: []}, rules:", 1), false},
		"a kind ClusterRole of another group": {`{apiVersion: example.com/v1, kind: ClusterRole, metadata: {name: memo-memos, ` + label + `}, rules: ` + memos + `}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			got := newSet(t, *parse(t, crdText), *parse(t, c.role)).SelfGranted()
			memo := schema.GroupKind{Group: "example.com", Kind: "Memo"}
			if granted := got[memo] != nil; granted != c.want || len(got) > 1 {
				t.Errorf("got %v, want Memo in it: %t", got, c.want)
			}
			if c.want && got[memo][0].Key.Name != "memo-memos" {
				t.Errorf("by %s", got[memo][0].Key)
			}
		})
	}
}

func TestAClusterRoleOfAnotherGroupKeepsItsRules(t *testing.T) {
	declared := parse(t, `{apiVersion: example.com/v1, kind: ClusterRole, metadata: {name: a}, aggregationRule: {}, rules: [b]}`)
	desired, err := NewDesired(Owner{Name: "memo"}, declared)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{"b"}, desired.Object().Object["rules"]); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
}
