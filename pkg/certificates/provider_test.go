package certificates

import (
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	discoverycache "k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/platform-operators/pkg/bundle"
)

func TestTheProviderOfCertificatesIsDiscovered(t *testing.T) {
	serviceCA := &metav1.APIResourceList{GroupVersion: "operator.openshift.io/v1", APIResources: []metav1.APIResource{{Name: "servicecas", Kind: "ServiceCA"}}}
	certManager := &metav1.APIResourceList{GroupVersion: "cert-manager.io/v1", APIResources: []metav1.APIResource{{Name: "certificates", Kind: "Certificate"}, {Name: "issuers", Kind: "Issuer"}}}
	half := &metav1.APIResourceList{GroupVersion: "cert-manager.io/v1", APIResources: []metav1.APIResource{{Name: "certificates", Kind: "Certificate"}}}
	for name, c := range map[string]struct {
		served []*metav1.APIResourceList
		want   bundle.CertificateProvider
	}{
		"none":                            {nil, ""},
		"service-ca":                      {[]*metav1.APIResourceList{serviceCA}, bundle.ServiceCA},
		"cert-manager":                    {[]*metav1.APIResourceList{certManager}, bundle.CertManager},
		"both, where service-ca is taken": {[]*metav1.APIResourceList{certManager, serviceCA}, bundle.ServiceCA},
		"half of cert-manager is none":    {[]*metav1.APIResourceList{half}, ""},
	} {
		client := fake.NewClientset()
		client.Resources = c.served
		now := clocktesting.NewFakePassiveClock(time.Unix(1000, 0))
		finder := NewFinder(discoverycache.NewMemCacheClient(client.Discovery()), now)
		if got, err := finder.Recent(); got != c.want || err != nil {
			t.Errorf("%s: found %q (%v), want %q", name, got, err, c.want)
		}
		client.Resources = []*metav1.APIResourceList{certManager}
		if got, err := finder.Recent(); got != c.want || err != nil {
			t.Errorf("%s: asked again at once it found %q (%v), want the same as before", name, got, err)
		}
		if got, err := finder.Current(); got != bundle.CertManager || err != nil {
			t.Errorf("%s: what is rendered goes by %q (%v), want what is there now", name, got, err)
		}
		now.SetTime(now.Now().Add(recentPeriod))
		if got, err := finder.Recent(); got != bundle.CertManager || err != nil {
			t.Errorf("%s: after a change found %q (%v), want what is there now", name, got, err)
		}
	}
}

func TestAFailedDiscoveryIsAnErrorAndNotAClusterWithoutAProvider(t *testing.T) {
	client := fake.NewClientset()
	client.PrependReactor("*", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewServiceUnavailable("not now")
	})
	if got, err := NewFinder(discoverycache.NewMemCacheClient(client.Discovery()), clocktesting.NewFakePassiveClock(time.Unix(1000, 0))).Recent(); err == nil {
		t.Errorf("found %q, and no error", got)
	}
}
