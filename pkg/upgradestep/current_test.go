package upgradestep_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/upgradestep"
	"github.com/openshift/platform-operators/test/steptest"
)

// recorded returns a healthy BundleDeployment with a record of this bundle in its annotations.
func recorded(t *testing.T, bundle platformv1alpha1.InstalledBundle) *corev1alpha2.BundleDeployment {
	t.Helper()
	text, err := json.Marshal(bundle)
	if err != nil {
		t.Fatal(err)
	}
	deployment := steptest.Healthy()
	deployment.Annotations = map[string]string{platformv1alpha1.AnnotationBundle: string(text)}
	deployment.Spec.Source.Image = &corev1alpha2.ImageSource{Ref: bundle.Image}
	return deployment
}

func TestRecordThatStatusWouldNotAcceptIsNone(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*platformv1alpha1.InstalledBundle)
		known  bool
	}{
		"as it is written":        {func(*platformv1alpha1.InstalledBundle) {}, true},
		"no name":                 {func(b *platformv1alpha1.InstalledBundle) { b.Bundle = "" }, false},
		"a name that is too long": {func(b *platformv1alpha1.InstalledBundle) { b.Bundle = strings.Repeat("x", 254) }, false},
		"the longest name":        {func(b *platformv1alpha1.InstalledBundle) { b.Bundle = strings.Repeat("ü", 253) }, true},
		"an unknown source":       {func(b *platformv1alpha1.InstalledBundle) { b.MaxOpenShiftVersionFrom = "Banana" }, false},
		"declared by the catalog": {func(b *platformv1alpha1.InstalledBundle) { b.MaxOpenShiftVersionFrom = platformv1alpha1.FromCatalog }, true},
		"too many declarations":   {func(b *platformv1alpha1.InstalledBundle) { b.UnreadableMaxOpenShiftVersions = make([]string, 5) }, false},
		"a declaration too long": {func(b *platformv1alpha1.InstalledBundle) {
			b.UnreadableMaxOpenShiftVersions = []string{strings.Repeat("x", 129)}
		}, false},
		"plain manifests":          {func(b *platformv1alpha1.InstalledBundle) { b.Format = "plain+v0" }, true},
		"registry bundles by name": {func(b *platformv1alpha1.InstalledBundle) { b.Format = "registry+v1" }, true},
		"an unknown format":        {func(b *platformv1alpha1.InstalledBundle) { b.Format = "helm+v3" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			bundle := *steptest.Bundle("1.0.0")
			test.change(&bundle)
			if got := upgradestep.RecordedBundle(recorded(t, bundle)); (got != nil) != test.known {
				t.Errorf("it is read as %+v", got)
			}
		})
	}
	if got := upgradestep.RecordedBundle(steptest.Healthy()); got != nil {
		t.Errorf("without a record it is read as %+v", got)
	}
}

func TestUnreadableRecordIsReplacedFromStatus(t *testing.T) {
	installed := steptest.Bundle("1.0.0")
	target := &platformv1alpha1.Target{Version: "1.1.0", Hop: steptest.Bundle("1.1.0")}
	status := platformv1alpha1.PlatformOperatorStatus{Installed: installed, Target: target}
	byDigest := *steptest.Bundle("1.0.0")
	byDigest.Image = "registry.invalid/op" + oneDigest
	unknownFormat := *steptest.Bundle("1.0.0")
	unknownFormat.Format = "helm+v3"
	for name, test := range map[string]struct {
		status   platformv1alpha1.PlatformOperatorStatus
		image    string
		resolved string
		want     string
	}{
		"the image of what is installed":         {status, installed.Image, "", installed.Bundle},
		"the image of what is moved to":          {status, target.Hop.Image, "", target.Hop.Bundle},
		"an image that was resolved to a digest": {platformv1alpha1.PlatformOperatorStatus{Installed: &byDigest}, installed.Image, byDigest.Image, byDigest.Bundle},
		"an image that status does not have":     {status, "registry.invalid/other:1", "", ""},
		"a format that is not known":             {platformv1alpha1.PlatformOperatorStatus{Installed: &unknownFormat}, unknownFormat.Image, "", ""},
		"no status":                              {platformv1alpha1.PlatformOperatorStatus{}, installed.Image, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			deployment := steptest.Healthy()
			deployment.Annotations = map[string]string{platformv1alpha1.AnnotationBundle: "{edited"}
			deployment.Spec.Source.Image = &corev1alpha2.ImageSource{Ref: test.image}
			if test.resolved != "" {
				deployment.Status.ResolvedSource = &corev1alpha2.BundleSource{Image: &corev1alpha2.ImageSource{Ref: test.resolved}}
			}
			got := upgradestep.CurrentOf(test.status, deployment).Recorded
			if (got == nil) != (test.want == "") {
				t.Fatalf("it is replaced by %+v", got)
			}
			if got != nil && got.Bundle != test.want {
				t.Errorf("it is replaced by %s, want %s", got.Bundle, test.want)
			}
			if got != nil && got.Image != test.image {
				t.Errorf("its image is %s, want %s, which the BundleDeployment has", got.Image, test.image)
			}
		})
	}
}

// TestWireFormatOfARecordedStart checks that the JSON is the one that earlier managers wrote and read.
func TestWireFormatOfARecordedStart(t *testing.T) {
	start := upgradestep.StepStart{Started: metav1.Unix(1767268800, 0).Rfc3339Copy(), Trigger: platformv1alpha1.TriggerRestored, SpecHash: "0123456789abcdef", Restores: true}
	start.Started.Time = start.Started.UTC()
	text, err := json.Marshal(start)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"started":"2026-01-01T12:00:00Z","trigger":"Restored","wish":"0123456789abcdef","restores":true}`
	if string(text) != want {
		t.Errorf("it is written as %s, want %s", text, want)
	}
	deployment := steptest.Healthy()
	deployment.Annotations = map[string]string{platformv1alpha1.AnnotationHop: want}
	got := upgradestep.RecordedStart(deployment)
	if got == nil {
		t.Fatal("it is not read back")
	}
	got.Started.Time = got.Started.UTC()
	if diff := cmp.Diff(&start, got); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
}

// TestSpecHashDoesNotChange checks that the hash is the one that earlier managers recorded. Another hash would look like a changed spec.
func TestSpecHashDoesNotChange(t *testing.T) {
	spec := platformv1alpha1.PlatformOperatorSpec{Package: platformv1alpha1.Package{Name: "quay", Version: "1.x"}}
	if got, want := upgradestep.SpecHash(spec), "1aa86c8f3a5b9b16"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestUpgradesFromWhatWasReady(t *testing.T) {
	installed := steptest.Bundle("1.0.0")
	failed := []platformv1alpha1.HistoryEntry{{State: platformv1alpha1.HistoryFailed}}
	ready := []platformv1alpha1.HistoryEntry{{State: platformv1alpha1.HistoryReady, ReadyTime: &metav1.Time{Time: time.Unix(1, 0)}}}
	for name, test := range map[string]struct {
		current upgradestep.Current
		want    string
	}{
		"nothing is installed":                  {upgradestep.Current{Deployment: steptest.Active(steptest.Healthy()), History: ready}, ""},
		"a revision is active":                  {upgradestep.Current{Deployment: steptest.Active(steptest.Unhealthy()), Installed: installed, History: failed}, "1.0.0"},
		"none is active yet":                    {upgradestep.Current{Deployment: steptest.Unhealthy(), Installed: installed, History: failed}, ""},
		"none is active yet, but one was":       {upgradestep.Current{Deployment: steptest.Unhealthy(), Installed: installed, Start: &upgradestep.StepStart{Restores: true}}, "1.0.0"},
		"none is active any more, but one was":  {upgradestep.Current{Deployment: steptest.Unhealthy(), Installed: installed, History: ready}, "1.0.0"},
		"deleted, and history shows none ready": {upgradestep.Current{Installed: installed, History: failed}, ""},
		"deleted, and one had been ready":       {upgradestep.Current{Installed: installed, History: ready}, "1.0.0"},
	} {
		if got := test.current.UpgradesFrom(); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestApproval(t *testing.T) {
	operator := func(upgrades *platformv1alpha1.Upgrades) *platformv1alpha1.PlatformOperator {
		operator := &platformv1alpha1.PlatformOperator{}
		operator.Spec.Upgrades = upgrades
		return operator
	}
	for name, test := range map[string]struct {
		upgrades        *platformv1alpha1.Upgrades
		defaultApproval platformv1alpha1.Approval
		manual          bool
		approves        bool // of 1.1.0, while 1.0.0 is installed
	}{
		"nothing is said":                  {nil, "", false, false},
		"the default is manual":            {nil, platformv1alpha1.ApprovalManual, true, false},
		"the spec wins over the default":   {&platformv1alpha1.Upgrades{Approval: platformv1alpha1.ApprovalAutomatic}, platformv1alpha1.ApprovalManual, false, false},
		"the version is approved":          {&platformv1alpha1.Upgrades{ApprovedVersion: "1.1.0"}, platformv1alpha1.ApprovalManual, true, true},
		"another version is approved":      {&platformv1alpha1.Upgrades{Approval: platformv1alpha1.ApprovalManual, ApprovedVersion: "1.2.0"}, "", true, false},
		"approved, where none needs to be": {&platformv1alpha1.Upgrades{Approval: platformv1alpha1.ApprovalAutomatic, ApprovedVersion: "1.1.0"}, "", false, false},
	} {
		spec := upgradestep.SpecOf(operator(test.upgrades), test.defaultApproval)
		if spec.Manual != test.manual {
			t.Errorf("%s: manual is %t", name, spec.Manual)
		}
		if got := spec.Approves(steptest.Candidate("1.1.0"), steptest.Bundle("1.0.0")); got != test.approves {
			t.Errorf("%s: 1.1.0 is approved: %t", name, got)
		}
		if spec.Approves(steptest.Candidate("1.1.0"), steptest.Bundle("1.1.0")) {
			t.Errorf("%s: the approval of the installed version counts again", name)
		}
	}
}
