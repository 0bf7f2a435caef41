package revisions_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/plan"
	"github.com/openshift/platform-operators/pkg/revisions"
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

func TestObjectsAreAppliedForThePackageThatIsInstalled(t *testing.T) {
	for name, c := range map[string]struct {
		named string
		label map[string]string
		want  string
	}{
		"content that names it":                          {"memo", map[string]string{platformv1alpha1.LabelPackage: "other"}, "memo"},
		"content that names none, of a PlatformOperator": {"", map[string]string{platformv1alpha1.LabelPackage: "memo"}, "memo"},
		"content that names none, of nobody's":           {"", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			deployment := &corev1alpha2.BundleDeployment{}
			deployment.Labels = c.label
			if got := revisions.PackageOf(deployment, c.named); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
