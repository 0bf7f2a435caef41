package bindata

import (
	"testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
)

func TestPlatformOperatorManagerIsTheOneThatTheManagerReads(t *testing.T) {
	manager, err := PlatformOperatorManager()
	if err != nil {
		t.Fatal(err)
	}
	if manager.Name != operatorv1alpha1.PlatformOperatorManagerName {
		t.Errorf("its name is %q, want %q", manager.Name, operatorv1alpha1.PlatformOperatorManagerName)
	}
	if want := operatorv1alpha1.SchemeGroupVersion.WithKind("PlatformOperatorManager"); manager.GroupVersionKind() != want {
		t.Errorf("it is a %s, want %s", manager.GroupVersionKind(), want)
	}
}

func TestPlatformOperatorManagerIsANewCopyEachTime(t *testing.T) {
	first, _ := PlatformOperatorManager()
	first.Name = "changed"
	second, err := PlatformOperatorManager()
	if err != nil || second.Name == "changed" {
		t.Errorf("a change of one copy shows in the next (name %q, error %v)", second.Name, err)
	}
}

func TestRegistryClassIsTheOneThatPlatformOperatorsName(t *testing.T) {
	class, err := RegistryClass()
	if err != nil {
		t.Fatal(err)
	}
	if class.Name != corev1alpha2.ProvisionerClassRegistry {
		t.Errorf("its name is %q, want %q", class.Name, corev1alpha2.ProvisionerClassRegistry)
	}
	if class.Spec.Provisioner != corev1alpha2.ProvisionerRegistry {
		t.Errorf("its provisioner is %q, want %q", class.Spec.Provisioner, corev1alpha2.ProvisionerRegistry)
	}
	if want := corev1alpha2.SchemeGroupVersion.WithKind("ProvisionerClass"); class.GroupVersionKind() != want {
		t.Errorf("it is a %s, want %s", class.GroupVersionKind(), want)
	}
}
