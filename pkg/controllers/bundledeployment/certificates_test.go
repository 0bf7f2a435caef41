package bundledeployment

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

	"github.com/openshift/platform-operators/pkg/bundle/registryv1"
)

func TestWhoMakesCertificatesIsDiscovered(t *testing.T) {
	serviceCA := &metav1.APIResourceList{GroupVersion: "operator.openshift.io/v1", APIResources: []metav1.APIResource{{Name: "servicecas", Kind: "ServiceCA"}}}
	certManager := &metav1.APIResourceList{GroupVersion: "cert-manager.io/v1", APIResources: []metav1.APIResource{{Name: "certificates", Kind: "Certificate"}, {Name: "issuers", Kind: "Issuer"}}}
	half := &metav1.APIResourceList{GroupVersion: "cert-manager.io/v1", APIResources: []metav1.APIResource{{Name: "certificates", Kind: "Certificate"}}}
	for name, c := range map[string]struct {
		served []*metav1.APIResourceList
		want   registryv1.Certificates
	}{
		"nobody":                          {nil, ""},
		"service-ca":                      {[]*metav1.APIResourceList{serviceCA}, registryv1.CertificatesByServiceCA},
		"cert-manager":                    {[]*metav1.APIResourceList{certManager}, registryv1.CertificatesByCertManager},
		"both, where service-ca is taken": {[]*metav1.APIResourceList{certManager, serviceCA}, registryv1.CertificatesByServiceCA},
		"half of cert-manager is nobody":  {[]*metav1.APIResourceList{half}, ""},
	} {
		client := fake.NewClientset()
		client.Resources = c.served
		now := clocktesting.NewFakePassiveClock(time.Unix(1000, 0))
		ask := certificatesOf(discoverycache.NewMemCacheClient(client.Discovery()))
		look := recent(ask, now)
		if got, err := look(); got != c.want || err != nil {
			t.Errorf("%s: found %q (%v), want %q", name, got, err, c.want)
		}
		client.Resources = []*metav1.APIResourceList{certManager}
		if got, err := look(); got != c.want || err != nil {
			t.Errorf("%s: asked again at once it found %q (%v), want what it was told", name, got, err)
		}
		if got, err := ask(); got != registryv1.CertificatesByCertManager || err != nil {
			t.Errorf("%s: what is rendered goes by %q (%v), want what is there now", name, got, err)
		}
		now.SetTime(now.Now().Add(certificatesFor))
		if got, err := look(); got != registryv1.CertificatesByCertManager || err != nil {
			t.Errorf("%s: after a change found %q (%v), want what is there now", name, got, err)
		}
	}
}

func TestAClusterThatCannotBeAskedHasNotNobody(t *testing.T) {
	client := fake.NewClientset()
	client.PrependReactor("*", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewServiceUnavailable("not now")
	})
	if got, err := certificatesOf(discoverycache.NewMemCacheClient(client.Discovery()))(); err == nil {
		t.Errorf("found %q, and no error", got)
	}
}
