package platformoperator

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgradestep"
	"github.com/openshift/platform-operators/test/steptest"
)

// declaring returns the catalog's bundle of a version that declares these values.
func declaring(version string, values ...string) catalog.Bundle {
	bundle := steptest.Candidate(version).Bundle
	bundle.MaxOpenShiftVersions = values
	return bundle
}

// nowhere is a set of catalogs that no longer exist.
type nowhere struct{}

func (nowhere) Unlisted() []string { return nil }

func (nowhere) For(string) []resolve.Catalog                 { return nil }
func (nowhere) Providers(catalog.GVK) []resolve.ProviderHint { return nil }

// filesDeclare makes the BundleDeployment report these values as the declaration in the files of its bundle.
func (c *cluster) filesDeclare(values ...string) {
	c.deployment.Status.Bundle = &corev1alpha2.BundleMetadata{Name: upgradestep.RecordedBundle(c.deployment).Bundle, MaxOpenShiftVersions: values}
}

// declared returns the declaration of a bundle in the status, as text.
func declared(bundle *platformv1alpha1.InstalledBundle) string {
	if bundle == nil {
		return "no bundle"
	}
	text := strings.TrimSpace(bundle.MaxOpenShiftVersionFrom + " " + bundle.MaxOpenShiftVersion)
	if len(bundle.UnreadableMaxOpenShiftVersions) > 0 {
		text += " unreadable " + strings.Join(bundle.UnreadableMaxOpenShiftVersions, "|")
	}
	return text
}

func TestCLU_G4_DeclarationOfWhatIsInstalledFollowsTheCatalogAndSurvivesIt(t *testing.T) {
	c := running("1.0.0", "")
	c.version = "4.18.3"
	c.filesDeclare(`"4.21"`)
	for _, step := range []struct {
		when string
		now  Catalogs
		want string
	}{
		{"the catalog declares more", imaged{declaring("1.0.0", `"4.23"`)}, "Catalog 4.23"},
		{"it declares less", imaged{declaring("1.0.0", `"4.20"`)}, "Catalog 4.20"},
		{"it declares more again, as a number", imaged{declaring("1.0.0", "4.30")}, "Catalog 4.30"},
		{"it is gone", nowhere{}, "Catalog 4.30"},
		{"it is back, with another image of the same name", imaged{rebuilt(declaring("1.0.0", `"4.19"`))}, "Catalog 4.30"},
		{"it has the bundle no more", imaged{}, "Catalog 4.30"},
		{"it declares nothing", imaged{declaring("1.0.0")}, "Bundle 4.21"},
		{"it is gone after it declared nothing", nowhere{}, "Bundle 4.21"},
		{"it has two declarations", imaged{declaring("1.0.0", `"4.22"`, `"4.23"`)}, `Catalog "4.22" "4.23" unreadable "4.22"|"4.23"`},
		{"it is gone after it had two declarations", nowhere{}, `Catalog "4.22" "4.23" unreadable "4.22"|"4.23"`},
		{"it declares what is no version", imaged{declaring("1.0.0", `["4.23"]`)}, `Catalog ["4.23"] unreadable ["4.23"]`},
		{"it declares nothing again", imaged{declaring("1.0.0")}, "Bundle 4.21"},
	} {
		if image := upgradestep.RecordedBundle(c.deployment).Image; image != steptest.Candidate("1.0.0").Bundle.Image {
			t.Fatalf("before %s it moved to image %s", step.when, image)
		}
		c.operator.Spec.Upgrades = &platformv1alpha1.Upgrades{Approval: platformv1alpha1.ApprovalManual} // so that no step starts
		c.sync(t, step.now)
		if got := declared(c.operator.Status.Installed); got != step.want {
			t.Errorf("when %s, status.installed has %s, want %s", step.when, got, step.want)
		}
		c.sync(t, step.now)
		if got := declared(c.operator.Status.Installed); got != step.want || len(c.writes) > 0 {
			t.Errorf("when %s, and synced again, status.installed has %s, and written is %q", step.when, got, c.writes)
		}
	}
}

func rebuilt(bundle catalog.Bundle) catalog.Bundle {
	bundle.Image = "registry.invalid/another" + anotherDigest
	return bundle
}

func TestDeclarationOfAVersionOutsideTheRangeIsRead(t *testing.T) {
	c := running("1.0.0", "")
	c.version = "4.18.3"
	c.operator.Spec.Package.Version = ">=2"
	c.sync(t, imaged{declaring("1.0.0", `"4.23"`)})
	c.sync(t, imaged{declaring("1.0.0", `"4.20"`)})
	if got := declared(c.operator.Status.Installed); got != "Catalog 4.20" {
		t.Errorf("outside the range: %s", got)
	}
	c.operator.Spec.Package.CatalogSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"no": "catalog"}}
	c.sync(t, imaged{declaring("1.0.0", `"4.19"`)})
	if got := declared(c.operator.Status.Installed); got != "Catalog 4.20" {
		t.Errorf("with its catalog no longer selected: %s", got)
	}
}

func TestEarlierDeclarationDoesNotComeBackWithoutItsCatalog(t *testing.T) {
	c := running("1.0.0", "")
	c.version = "4.18.3"
	c.operator.Spec.Upgrades = &platformv1alpha1.Upgrades{Approval: platformv1alpha1.ApprovalManual, ApprovedVersion: "1.0.0"}
	c.operator.Spec.Package.Version = "9.x" // so that the record of the step is not overwritten
	c.deployment.Annotations[platformv1alpha1.AnnotationBundle] = asJSON(t, upgradestep.BundleOf(resolve.Candidate{Catalog: steptest.Candidate("").Catalog, Bundle: declaring("1.0.0", `"4.23"`)}))
	c.sync(t, imaged{declaring("1.0.0", `"4.23"`)})
	c.sync(t, imaged{declaring("1.0.0", `"4.20"`)})
	c.sync(t, nowhere{})
	if got, record := declared(c.operator.Status.Installed), declared(upgradestep.RecordedBundle(c.deployment)); got != "Catalog 4.20" || record != "Catalog 4.23" {
		t.Errorf("status.installed has %s, the record of the step %s", got, record)
	}
}

func TestDuringAStepBothDeclarationsAreReported(t *testing.T) {
	c := running("1.0.0", "")
	c.version = "4.18.3"
	c.operator.Status.History = []platformv1alpha1.HistoryEntry{{Version: "1.0.0", State: platformv1alpha1.HistoryReady, ReadyTime: &metav1.Time{}}}
	c.filesDeclare(`"4.21"`)
	both := imaged{declaring("1.0.0"), declaring("1.1.0")}
	for range 3 {
		c.sync(t, both)
	}
	if got := upgradestep.RecordedBundle(c.deployment).Version; got != "1.1.0" {
		t.Fatalf("the record is of %s", got)
	}
	expect := func(when, installed, target string) {
		t.Helper()
		c.sync(t, both)
		status := c.operator.Status
		if status.Target == nil {
			t.Fatalf("%s: no step is under way", when)
		}
		if got := [2]string{declared(status.Installed), declared(status.Target.Hop)}; got != [2]string{installed, target} {
			t.Errorf("%s: %q, want %q and %q", when, got, installed, target)
		}
	}
	expect("before the BundleDeployment has observed the step", "Bundle 4.21", "")
	c.deployment.Status.ObservedGeneration = c.deployment.Generation
	meta.SetStatusCondition(&c.deployment.Status.Conditions, metav1.Condition{Type: corev1alpha2.ConditionHasValidBundle, Status: metav1.ConditionUnknown, Reason: "Test"})
	meta.SetStatusCondition(&c.deployment.Status.Conditions, metav1.Condition{Type: corev1alpha2.ConditionHealthy, Status: metav1.ConditionFalse, Reason: "Test"})
	expect("while the content is fetched, and status.bundle is of the version before", "Bundle 4.21", "")

	meta.SetStatusCondition(&c.deployment.Status.Conditions, metav1.Condition{Type: corev1alpha2.ConditionHasValidBundle, Status: metav1.ConditionTrue, Reason: "Test"})
	c.filesDeclare(`"4.20"`)
	c.deployment.Status.ActiveBundle = &corev1alpha2.BundleMetadata{Name: steptest.Candidate("1.0.0").Bundle.Name, MaxOpenShiftVersions: []string{`"4.21"`}}
	expect("when it is unpacked", "Bundle 4.21", "Bundle 4.20")
	both[0] = declaring("1.0.0", `"4.30"`)
	expect("when the catalog declares for the old one", "Catalog 4.30", "Bundle 4.20")
	both[0], both[1] = declaring("1.0.0"), declaring("1.1.0", `"4.40"`)
	expect("when it takes that back, and declares for the new one", "Bundle 4.21", "Catalog 4.40")

	c.deployment.Status.Conditions, c.deployment.Status.ActiveBundle = steptest.Healthy().Status.Conditions, nil
	c.deployment.Status.ActiveRevision = 2
	c.sync(t, nowhere{})
	if got := declared(c.operator.Status.Installed); c.installed() != "1.1.0" || got != "Catalog 4.40" {
		t.Errorf("after the step, with the catalog gone, %s has %s", c.installed(), got)
	}
}
