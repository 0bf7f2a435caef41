package bundledeployment

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
)

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
	if s.policies.Drift.Policy != corev1alpha2.DriftReport {
		t.Errorf("drift is treated as %q from now on, and was as %q", s.policies.Drift.Policy, corev1alpha2.DriftReport)
	}
}
