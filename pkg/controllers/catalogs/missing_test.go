package catalogs

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/catalog"
)

// lacking returns a BundleDeployment that lacks kinds. A PlatformOperator owns it, unless owner is empty.
func lacking(name, owner string, kinds ...catalog.GVK) *corev1alpha2.BundleDeployment {
	deployment := &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if owner != "" {
		isController := true
		deployment.OwnerReferences = []metav1.OwnerReference{{Kind: "PlatformOperator", Name: owner, Controller: &isController}}
	}
	deployment.Status.Plan = &corev1alpha2.Plan{}
	for _, kind := range kinds {
		deployment.Status.Plan.KindsMissing = append(deployment.Status.Plan.KindsMissing, corev1alpha2.MissingKind(kind))
	}
	return deployment
}

// lack stores the BundleDeployment that lacking returns.
func (b *fixture) lack(t *testing.T, name, owner string, kinds ...catalog.GVK) {
	t.Helper()
	if err := b.stored.Add(lacking(name, owner, kinds...)); err != nil {
		t.Fatal(err)
	}
}

func TestHRD_M1_ProvidersOfKindsThatNoBundleDeclaresAreRead(t *testing.T) {
	cake, once := catalog.GVK{Group: "g", Version: "v1", Kind: "Cake"}, []string{"https://green"}
	for name, test := range map[string]struct {
		do   func(*testing.T, *providersFixture)
		want []string
	}{
		"nothing is missing":               {func(t *testing.T, p *providersFixture) { p.lack(t, "a", "a") }, nil},
		"a kind is missing":                {func(t *testing.T, p *providersFixture) { p.lack(t, "a", "a", bread) }, once},
		"no PlatformOperator would use it": {func(t *testing.T, p *providersFixture) { p.lack(t, "lonely", "", bread) }, nil},
		"a wanted package provides it": {func(t *testing.T, p *providersFixture) {
			p.addOperator(t, "baker")
			p.lack(t, "a", "a", bread)
		}, nil},
		"every read indexes all packages": {func(t *testing.T, p *providersFixture) {
			p.whole = true
			p.lack(t, "a", "a", bread)
		}, nil},
		"two BundleDeployments lack it": {func(t *testing.T, p *providersFixture) {
			p.lack(t, "a", "a", bread)
			p.lack(t, "b", "b", bread)
		}, once},
		"it becomes missing later": {func(t *testing.T, p *providersFixture) {
			p.settle(t, "green")
			p.lack(t, "a", "a", bread)
		}, once},
		"it becomes missing after the index was built": {func(t *testing.T, p *providersFixture) {
			p.lack(t, "a", "a", cake)
			p.settle(t, "green")
			p.lack(t, "b", "b", bread)
		}, once},
		"the catalog changes": {func(t *testing.T, p *providersFixture) {
			p.lack(t, "a", "a", bread)
			p.settle(t, "green")
			p.serve(t, "green", "two")
		}, append(once, once...)},
		"the catalog changes when it is not missing any more": {func(t *testing.T, p *providersFixture) {
			p.lack(t, "a", "a", bread)
			p.settle(t, "green")
			p.lack(t, "a", "a")
			p.serve(t, "green", "two")
		}, once},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProvidersFixture(t, "smith")
			p.serve(t, "green", "one")
			test.do(t, p)
			p.settle(t, "green")
			if diff := cmp.Diff(test.want, p.passes); diff != "" {
				t.Errorf("reads of provided kinds (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHRD_M1_OperatorsAreNotifiedOfTheProvidersOfAMissingKind(t *testing.T) {
	p := newProvidersFixture(t, "smith")
	p.serve(t, "green", "one")
	p.settle(t, "green")
	p.changes = nil
	p.lack(t, "smith", "smith", bread)
	p.runKey(t, providersKey)
	if diff := cmp.Diff([]string{"ClusterCatalog/green"}, p.changes); diff != "" {
		t.Errorf("notified (-want +got):\n%s", diff)
	}
	if got := p.snapshots.Providers(bread); len(got) != 1 || got[0].Partial || !cmp.Equal(got[0].Packages, []string{"grocer"}) {
		t.Errorf("providers %+v, want grocer", got)
	}
}
