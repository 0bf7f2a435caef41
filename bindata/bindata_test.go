package bindata

import (
	"testing"

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
