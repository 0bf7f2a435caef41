package permissions

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/identity"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/plan"
)

// memosRole returns a ClusterRole with the label that grants verbs on memos.
func memosRole(name string, verbs ...any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
		"metadata": map[string]any{"name": name, "labels": map[string]any{corev1alpha2.LabelAggregateToBundles: "true"}},
		"rules":    []any{map[string]any{"apiGroups": []any{"example.com"}, "resources": []any{"memos"}, "verbs": verbs}},
	}}
}

// everyVerb are the verbs of bundle.Verbs.
var everyVerb = []any{"create", "delete", "get", "list", "patch", "update", "watch"}

// with returns the set with more objects.
func (m memo) with(t *testing.T, more ...*unstructured.Unstructured) *object.Set {
	t.Helper()
	var objects []unstructured.Unstructured
	for _, phase := range m.set.Phases() {
		for _, each := range phase.Objects {
			if !each.IsAdded {
				objects = append(objects, *each.Object())
			}
		}
	}
	for _, each := range more {
		objects = append(objects, *each)
	}
	set, err := object.NewSet(m.set.Owner(), "memo", plan.Phases(objects))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestHRD_F1_PermissionsThatTheSetItselfBringsAreNotMissing(t *testing.T) {
	m := newMemo(t, &judge{may: func(_, resource, _ string) bool { return resource != "memos.example.com" }})
	without, err := m.missing(t)
	if err != nil || len(without) == 0 {
		t.Errorf("without the ClusterRole, got %v, %v; want missing permissions", without, err)
	}
	m.set = m.with(t, memosRole("memo-memos", everyVerb...))
	if missing, err := m.missing(t); err != nil || len(missing) > 0 {
		t.Errorf("got %v, %v; want none", missing, err)
	}
	for name, options := range map[string]Options{
		"after its ClusterRoles were applied": {Applied: true}, "reported before": {Reported: without},
	} {
		missing, err := m.checker.Missing(t.Context(), m.as, m.set, options)
		if diff := cmp.Diff(without, missing); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
	others := Options{Reported: []corev1alpha2.MissingPermission{{Group: "example.com", Resource: "others"}}}
	if missing, err := m.checker.Missing(t.Context(), m.as, m.set, others); err != nil || len(missing) > 0 {
		t.Errorf("after another permission was missing, got %v, %v; want none", missing, err)
	}
}

// The label aggregates a ClusterRole of the set to the manager, which watches the custom resources. The ServiceAccount gets nothing by it.
func TestENG_P7_AClusterRoleForTheManagerGrantsTheServiceAccountNothing(t *testing.T) {
	m := newMemo(t, &judge{})
	var objects []unstructured.Unstructured
	for _, phase := range m.with(t, memosRole("memo-memos", everyVerb...)).Phases() {
		for _, each := range phase.Objects {
			if !each.IsAdded {
				objects = append(objects, *each.Object())
			}
		}
	}
	set, err := object.NewScopedSet(m.set.Owner(), "memo", plan.Phases(objects))
	if err != nil {
		t.Fatal(err)
	}
	needs := m.checker.needs(t.Context(), set, Options{ServiceAccount: "deployer"})
	memos := schema.GroupResource{Group: "example.com", Resource: "memos"}
	if diff := cmp.Diff(objectVerbs, needs[scope{memos, "memo"}]); diff != "" || needs[scope{memos, ""}] != nil {
		t.Errorf("the manager needs %v, the ServiceAccount (-want +got):\n%s", needs[scope{memos, ""}], diff)
	}
}

func TestHRD_F1_PermissionsThatAnUpgradeRemovesAreMissing(t *testing.T) {
	role := memosRole("memo-memos", everyVerb...)
	owned := role.DeepCopy()
	owned.SetLabels(map[string]string{corev1alpha2.LabelAggregateToBundles: "true", corev1alpha2.LabelOwnerName: "memo"})
	unlabeled := memosRole("admin", everyVerb...)
	unlabeled.SetLabels(nil)
	lost := []corev1alpha2.MissingPermission{
		{Group: "example.com", Resource: "memos", Verbs: []string{"list", "watch"}},
		{Group: "example.com", Resource: "memos", Namespace: "memo", Verbs: []string{"create", "delete", "get", "patch", "update"}},
	}
	otherVerbs := []corev1alpha2.MissingPermission{
		{Group: "example.com", Resource: "memos", Verbs: []string{"watch"}},
		{Group: "example.com", Resource: "memos", Namespace: "memo", Verbs: []string{"create", "delete", "patch", "update"}},
	}
	for name, test := range map[string]struct {
		next []*unstructured.Unstructured // of the set
		live []*unstructured.Unstructured // besides the ClusterRole of the replaced set
		want []corev1alpha2.MissingPermission
	}{
		"the set has no ClusterRole":          {nil, nil, lost},
		"the set has that ClusterRole":        {[]*unstructured.Unstructured{role}, nil, nil},
		"the set has it under another name":   {[]*unstructured.Unstructured{memosRole("other", everyVerb...)}, nil, nil},
		"the set has it with fewer verbs":     {[]*unstructured.Unstructured{memosRole("memo-memos", "get", "list")}, nil, otherVerbs},
		"an admin grants them":                {nil, []*unstructured.Unstructured{memosRole("admin", everyVerb...)}, nil},
		"an admin grants every verb":          {nil, []*unstructured.Unstructured{memosRole("admin", "*")}, nil},
		"an admin's ClusterRole has no label": {nil, []*unstructured.Unstructured{unlabeled}, lost},
		"an admin grants some of them": {
			nil, []*unstructured.Unstructured{memosRole("admin", "create", "delete", "get", "patch", "update")}, lost[:1]},
		"a ClusterRole that nobody can decode": {nil, []*unstructured.Unstructured{memosRole("admin", int64(7))}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			objects := []runtime.Object{owned}
			for _, each := range test.live {
				objects = append(objects, each)
			}
			client := dynamicfake.NewSimpleDynamicClient(runtime.NewScheme(), objects...)
			client.PrependReactor("create", accessReviews.Resource, (&judge{may: func(_, _, _ string) bool { return true }}).answer)
			manager := identity.Identity{Dynamic: client}
			m := newMemoOf(t, manager, manager)
			missing, err := m.checker.Missing(t.Context(), m.as, m.with(t, test.next...), Options{Replaced: []*object.Set{m.with(t, role)}})
			if isDamaged := name == "a ClusterRole that nobody can decode"; (err != nil) != isDamaged {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(test.want, missing); diff != "" && (len(test.want) > 0 || len(missing) > 0) {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("no ClusterRoles are listed while the set needs nothing of them", func(t *testing.T) {
		m := newMemo(t, &judge{may: func(_, _, _ string) bool { return true }})
		others := memosRole("memo-memos", everyVerb...)
		others.Object["rules"] = []any{map[string]any{"apiGroups": []any{"example.com"}, "resources": []any{"others"}, "verbs": everyVerb}}
		if _, err := m.checker.Missing(t.Context(), m.as, m.set, Options{Replaced: []*object.Set{m.with(t, others)}}); err != nil {
			t.Fatal(err)
		}
		for _, action := range m.as.Dynamic.(*dynamicfake.FakeDynamicClient).Actions() {
			if action.GetVerb() == "list" {
				t.Errorf("got %v", action)
			}
		}
	})
}

// rule returns a rule of a ClusterRole.
func rule(group, resource string, verbs ...any) map[string]any {
	return map[string]any{"apiGroups": []any{group}, "resources": []any{resource}, "verbs": verbs}
}

// withRules returns a ClusterRole with the label and with rules.
func withRules(name string, rules ...any) *unstructured.Unstructured {
	role := memosRole(name)
	role.Object["rules"] = rules
	return role
}

func TestAnUpgradeMayWriteTheRulesOfItsClusterRolesInOtherWords(t *testing.T) {
	read, write := rule("example.com", "memos", "get", "list", "watch"), rule("example.com", "memos", "create", "delete", "patch", "update")
	variants := map[string][]*unstructured.Unstructured{
		"every verb by its name":   {memosRole("memo-memos", everyVerb...)},
		"every verb by a wildcard": {memosRole("memo-memos", "*")},
		"every resource":           {withRules("memo-memos", rule("example.com", "*", everyVerb...))},
		"every group":              {withRules("memo-memos", rule("*", "memos", everyVerb...))},
		"two rules":                {withRules("memo-memos", read, write)},
		"two ClusterRoles":         {withRules("memo-read", read), withRules("memo-write", write)},
	}
	check := func(t *testing.T, former, next []*unstructured.Unstructured) []corev1alpha2.MissingPermission {
		t.Helper()
		client := dynamicfake.NewSimpleDynamicClient(runtime.NewScheme(), memosRole("unrelated", "get"))
		client.PrependReactor("create", accessReviews.Resource, (&judge{may: func(_, _, _ string) bool { return true }}).answer)
		manager := identity.Identity{Dynamic: client}
		m := newMemoOf(t, manager, manager)
		options := Options{Replaced: []*object.Set{m.with(t, former...)}, Applied: true}
		missing, err := m.checker.Missing(t.Context(), m.as, m.with(t, next...), options)
		if err != nil {
			t.Fatal(err)
		}
		return missing
	}
	for before, former := range variants {
		for after, next := range variants {
			if missing := check(t, former, next); len(missing) > 0 {
				t.Errorf("from %s to %s: %v are missing", before, after, missing)
			}
		}
		if missing := check(t, former, nil); len(missing) != 2 {
			t.Errorf("from %s to no ClusterRole: only %v are missing", before, missing)
		}
	}
}
