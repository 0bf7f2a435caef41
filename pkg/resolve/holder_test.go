package resolve_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/resolve"
)

func TestPackageHolder(t *testing.T) {
	noon := metav1.NewTime(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	later := metav1.NewTime(noon.Add(time.Second))
	operator := func(name, pkg string, created metav1.Time) *platformv1alpha1.PlatformOperator {
		return &platformv1alpha1.PlatformOperator{
			ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: created},
			Spec:       platformv1alpha1.PlatformOperatorSpec{Package: platformv1alpha1.Package{Name: pkg}},
		}
	}
	all := []*platformv1alpha1.PlatformOperator{
		operator("younger", "quay", later), operator("older", "quay", noon), operator("same-age", "quay", noon), operator("other", "nfs", noon),
	}
	for _, each := range all {
		want := "older"
		if each.Spec.Package.Name == "nfs" {
			want = "other"
		}
		if got := resolve.PackageHolder(each, all); got != want {
			t.Errorf("for %q: %q holds the package, want %q", each.Name, got, want)
		}
	}
	all[2].Status.ActiveBundleDeployment = &platformv1alpha1.ActiveBundleDeployment{Name: "same-age"}
	if got := resolve.PackageHolder(all[1], all); got != "same-age" {
		t.Errorf("%q holds the package, want the operator with the same creation time that has a BundleDeployment", got)
	}
}
