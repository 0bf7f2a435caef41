package kinds_test

import (
	"fmt"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/manifestserver/kinds"
	"github.com/openshift/platform-operators/pkg/scenario/builtin"
)

func newSet(t testing.TB) *kinds.Set {
	t.Helper()
	set, err := kinds.NewSet(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestBuiltInKindsAreThoseOfAnAPIServer compares the kinds with those of package builtin.
func TestBuiltInKindsAreThoseOfAnAPIServer(t *testing.T) {
	set := newSet(t)
	for _, want := range builtin.Kinds() {
		got := set.Resource(want.WithResource(want.Resource))
		if got == nil {
			t.Errorf("%s is missing", want.WithResource(want.Resource))
			continue
		}
		if got.Is(kinds.Namespaced) != want.Namespaced || got.Singular != want.Singular || !slices.Equal(got.ShortNames, want.ShortNames) ||
			slices.Contains(got.Categories, "all") != want.All {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

// TestEveryBuiltInKindCanBeApplied applies a label to an empty object of each kind.
func TestEveryBuiltInKindCanBeApplied(t *testing.T) {
	set := newSet(t)
	for _, group := range set.Groups() {
		for _, version := range set.Versions(group) {
			for _, resource := range set.InVersion(schema.GroupVersion{Group: group, Version: version}) {
				if resource.Is(kinds.IsReview) {
					continue
				}
				if err := applyLabel(resource); err != nil {
					t.Errorf("%s: %v", resource.GroupVersionKind(), err)
				}
			}
		}
	}
}

func applyLabel(resource *kinds.Resource) error {
	empty, err := resource.Empty()
	if err != nil {
		return err
	}
	manager, err := resource.FieldManager("")
	if err != nil {
		return err
	}
	configuration := &unstructured.Unstructured{Object: map[string]any{}}
	configuration.SetGroupVersionKind(resource.GroupVersionKind())
	configuration.SetName("o")
	configuration.SetLabels(map[string]string{"a": "b"})
	applied, err := manager.Apply(empty, configuration, "m", false)
	if err != nil {
		return err
	}
	normal, unknown, err := resource.NormalizeApplied(applied.(*unstructured.Unstructured))
	if err != nil {
		return err
	}
	if normal.GetLabels()["a"] != "b" || len(normal.GetManagedFields()) != 1 || len(unknown) > 0 {
		return fmt.Errorf("applied %v, unknown %v", normal.Object, unknown)
	}
	return nil
}
