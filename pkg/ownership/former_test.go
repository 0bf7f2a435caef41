package ownership

import (
	"testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// TestHRD_M4_KeptDefinitionIsOfItsFormerOwnerByKindAndName shows that a package and a BundleDeployment of the same name are two owners.
func TestHRD_M4_KeptDefinitionIsOfItsFormerOwnerByKindAndName(t *testing.T) {
	owners := map[string]string{"package": PackageMark("quay"), "deployment": DeploymentMark("quay"), "another package": PackageMark("clair")}
	annotations := map[string]string{ // to their owner
		"quay": "package", "package/quay": "package", "bundledeployment/quay": "deployment", "clair": "another package",
		"BundleDeployment/quay": "", "other/quay": "", "package/": "", "package/quay/x": "",
	}
	for annotation, former := range annotations {
		for name, mark := range owners {
			for _, adoption := range []corev1alpha2.Adoption{"", corev1alpha2.AdoptionNone, corev1alpha2.AdoptionAny} {
				want := Verdict{Action: Leave, Reason: OrphanOfAnother}
				switch {
				case name == former && adoption == corev1alpha2.AdoptionNone:
					want.Reason = NoneLeavesOrphan
				case name == former:
					want = Verdict{Action: Adopt, Reason: Orphaned}
				case adoption == corev1alpha2.AdoptionAny:
					want = Verdict{Action: Adopt, Reason: Permitted}
				}
				claimant := Claimant{Name: "quay", Mark: mark, Adoption: adoption}
				got := Decide(Marks{OrphanedFrom: normalizeMark(annotation)}, claimant, func(string) Standing { return Absent })
				if got != want {
					t.Errorf("annotation %q, claimed for the %s with adoption %q: got %+v, want %+v", annotation, name, adoption, got, want)
				}
			}
		}
	}
}

func TestHRD_M4_DescribeMark(t *testing.T) {
	for value, want := range map[string]string{
		"quay": `package "quay"`, "package/quay": `package "quay"`, "bundledeployment/quay": `BundleDeployment "quay"`, "other/quay": `"other/quay"`,
	} {
		if got := DescribeMark(value); got != want {
			t.Errorf("%q: got %s, want %s", value, got, want)
		}
	}
}
