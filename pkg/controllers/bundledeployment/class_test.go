package bundledeployment

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
)

func TestTheClassSpeaksWhereTheSpecIsSilent(t *testing.T) {
	ignore := []corev1alpha2.DriftIgnore{{JSONPointers: []string{"/spec/replicas"}}}
	class := corev1alpha2.ProvisionerClassSpec{
		Drift:    &corev1alpha2.Drift{Policy: corev1alpha2.DriftReport, Ignore: ignore},
		Deletion: &corev1alpha2.Deletion{CRDs: corev1alpha2.CRDsDelete},
	}
	cases := map[string]struct {
		spec  corev1alpha2.BundleDeploymentSpec
		class corev1alpha2.ProvisionerClassSpec
		want  policies
	}{
		"both are silent":  {},
		"the class speaks": {class: class, want: policies{corev1alpha2.Drift{Policy: corev1alpha2.DriftReport, Ignore: ignore}, corev1alpha2.CRDsDelete}},
		"the spec wins, field by field": {
			spec: corev1alpha2.BundleDeploymentSpec{
				Drift:    &corev1alpha2.Drift{Policy: corev1alpha2.DriftEnforce, Additions: corev1alpha2.AdditionsRemove},
				Deletion: &corev1alpha2.Deletion{CRDs: corev1alpha2.CRDsOrphan},
			},
			class: class,
			want:  policies{corev1alpha2.Drift{Policy: corev1alpha2.DriftEnforce, Additions: corev1alpha2.AdditionsRemove, Ignore: ignore}, corev1alpha2.CRDsOrphan},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := policiesOf(c.spec, c.class)
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(policies{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAClassThatGoesAwayStopsWhatIsNewAndChangesNothingElse(t *testing.T) {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	class := &corev1alpha2.ProvisionerClass{ObjectMeta: metav1.ObjectMeta{Name: "mine"}, Spec: corev1alpha2.ProvisionerClassSpec{
		Provisioner: corev1alpha2.ProvisionerRegistry, Drift: &corev1alpha2.Drift{Policy: corev1alpha2.DriftReport},
	}}
	if err := indexer.Add(class); err != nil {
		t.Fatal(err)
	}
	s := newFixture(t)
	s.c.classes = corelisters.NewProvisionerClassLister(indexer)
	s.deployment.Spec.ProvisionerClassName = "mine"
	if _, err := readClass(t.Context(), s.reconciliation); err != nil || s.unknownClass != "" {
		t.Fatalf("error %v; %s", err, s.unknownClass)
	}
	if err := indexer.Delete(class); err != nil {
		t.Fatal(err)
	}
	if _, err := readClass(t.Context(), s.reconciliation); err != nil || s.unknownClass == "" {
		t.Errorf("error %v; nobody misses it", err)
	}
	if s.policies.drift.Policy != corev1alpha2.DriftReport {
		t.Errorf("drift is treated as %q from now on, and was as %q", s.policies.drift.Policy, corev1alpha2.DriftReport)
	}
}
