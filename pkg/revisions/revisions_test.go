package revisions_test

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/plan"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/revisions"
	"github.com/openshift/platform-operators/pkg/store"
)

// setOf returns a set of one ConfigMap.
func setOf(t *testing.T, name string) *apply.Set {
	t.Helper()
	object := unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name, "namespace": "memo"},
	}}
	set, err := apply.NewSet(apply.Owner{Name: "memo"}, "memo", plan.Phases([]unstructured.Unstructured{object}))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestARemovalOfSeveralRevisionsMakesTheirUnionOnce(t *testing.T) {
	var union revisions.Union
	sets := []*apply.Set{setOf(t, "a"), setOf(t, "b")}
	first, err := union.Of("memo", sets)
	if err != nil || first.Len() != 2 {
		t.Fatalf("the union has %d objects, %v", first.Len(), err)
	}
	if again, err := union.Of("memo", []*apply.Set{sets[0], sets[1]}); again != first || err != nil {
		t.Errorf("the next sync made another one, %v", err)
	}
	if fewer, err := union.Of("memo", sets[:1]); err != nil || fewer.Len() != 1 {
		t.Errorf("of one revision it has %d objects, %v", fewer.Len(), err)
	}
}

// savedRevisions is a Store that counts the revisions that it saves. Its other methods must not be called.
type savedRevisions struct {
	revisions.Store
	saved int
}

// Save implements revisions.Store.
func (s *savedRevisions) Save(context.Context, store.Owner, *store.Revision) error {
	s.saved++
	return nil
}

// Otherwise each attempt to save would store another revision.
func TestContentThatCannotBeAppliedIsNotStored(t *testing.T) {
	object := unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a", "namespace": "memo"},
	}}
	for name, c := range map[string]struct {
		objects []unstructured.Unstructured
		stored  int
	}{
		"one object":       {[]unstructured.Unstructured{object}, 1},
		"one object twice": {[]unstructured.Unstructured{object, object}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			saver := &savedRevisions{}
			deployment := &corev1alpha2.BundleDeployment{}
			deployment.Name, deployment.Spec.InstallNamespace = "memo", "memo"
			of := revisions.Revisions{Store: saver, History: &revision.History{}, Sets: revisions.Sets{}, Deployment: deployment}
			stored, err := of.Save(t.Context(), &store.Revision{Objects: c.objects})
			if isStored := c.stored > 0; (err == nil) != isStored {
				t.Errorf("the error is %v", err)
			}
			if (stored != nil) != (c.stored > 0) {
				t.Errorf("the returned revision is %v", stored)
			}
			if saver.saved != c.stored {
				t.Errorf("%d revisions are stored, want %d", saver.saved, c.stored)
			}
			if got := len(of.History.Stored); got != c.stored {
				t.Errorf("%d revisions are in the history, want %d", got, c.stored)
			}
		})
	}
}

func TestHRD_M4_ObjectsAreAppliedForThePackageThatIsInstalled(t *testing.T) {
	for name, c := range map[string]struct {
		named string
		label map[string]string
		owner string
		want  string
	}{
		"content that names it":                          {"memo", map[string]string{platformv1alpha1.LabelPackage: "other"}, "PlatformOperator", "memo"},
		"content that names none, of a PlatformOperator": {"", map[string]string{platformv1alpha1.LabelPackage: "memo"}, "PlatformOperator", "memo"},
		"content that names none, with a user's label":   {"", map[string]string{platformv1alpha1.LabelPackage: "memo"}, "", ""},
		"content that names none, of nobody's":           {"", nil, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			deployment := &corev1alpha2.BundleDeployment{}
			deployment.Labels = c.label
			if isController := true; c.owner != "" {
				deployment.OwnerReferences = []metav1.OwnerReference{{Kind: c.owner, Controller: &isController}}
			}
			if got := revisions.PackageOf(deployment, c.named); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
