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

func TestClassesAreTheOnesThatPlatformOperatorsName(t *testing.T) {
	for format, shipped := range map[string]func() (*corev1alpha2.ProvisionerClass, error){
		corev1alpha2.FormatRegistryV1: RegistryClass, corev1alpha2.FormatPlainV0: PlainClass,
	} {
		class, err := shipped()
		if err != nil {
			t.Fatal(err)
		}
		if want := corev1alpha2.ClassOf(format); class.Name != want {
			t.Errorf("the name of the class of %s is %q, want %q", format, class.Name, want)
		}
		if got := corev1alpha2.FormatOf(class.Spec.Provisioner); got != format {
			t.Errorf("provisioner %q reads %q, want %q", class.Spec.Provisioner, got, format)
		}
		if want := corev1alpha2.SchemeGroupVersion.WithKind("ProvisionerClass"); class.GroupVersionKind() != want {
			t.Errorf("it is a %s, want %s", class.GroupVersionKind(), want)
		}
	}
}
