package bundledeployment

import (
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/revision"
)

func TestNamesOfTheManagersOwnObjectsAreReserved(t *testing.T) {
	isReserved := newRenderer(nil, provider("")).IsReserved
	for name, want := range map[string]bool{"platform-operators:memo:custom-resources": true, "memo": false} {
		role := unstructured.Unstructured{}
		role.SetAPIVersion(rbacv1.SchemeGroupVersion.String())
		role.SetKind("ClusterRole")
		role.SetName(name)
		if got := isReserved(&role); got != want {
			t.Errorf("ClusterRole %q: %v, want %v: with it a revision could neither be applied nor removed", name, got, want)
		}
	}
}

func TestWhatIsRecordedOfASourceAndAConfiguration(t *testing.T) {
	f := newFixture(t)
	f.memory.class.Provisioner = corev1alpha2.ProvisionerPlain
	f.deployment.Spec.Config = &runtime.RawExtension{Raw: []byte(`{ "a": 1 }`)}
	if _, err := readSource(t.Context(), f.reconciliation); err != nil {
		t.Fatal(err)
	}
	want := revision.Desired{
		Source: "r/memo:v2", Format: "plain+v0", Config: "sha256:015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862",
	}
	if f.source.desired != want || f.source.config != `{"a":1}` {
		t.Errorf("recorded %+v of %s, want %+v", f.source.desired, f.source.config, want)
	}
	if f.request().ChecksAccess {
		t.Error("access to the image is checked without a ServiceAccount")
	}
	if f.deployment.Spec.ServiceAccountName = "deployer"; !f.request().ChecksAccess {
		t.Error("access to the image is not checked with a ServiceAccount")
	}
}
