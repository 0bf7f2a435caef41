package platformoperator

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgradestep"
	"github.com/openshift/platform-operators/test/steptest"
)

// noCatalog is the catalog state of a manager that was started while no catalog could be read.
type noCatalog struct{}

func (noCatalog) Unlisted() []string { return nil }

func (noCatalog) For(string) []resolve.Catalog                 { return nil }
func (noCatalog) Providers(catalog.GVK) []resolve.ProviderHint { return nil }

// orphaned returns a cluster on which 1.0.0 was ready, in a namespace that only the status records. Another client has deleted its
// BundleDeployment.
func orphaned(t *testing.T) *cluster {
	t.Helper()
	c := running("1.0.0", "")
	c.deployment.Spec.InstallNamespace = "chosen-once"
	c.sync(t, oneCatalog{"1.0.0"})
	if c.installed() != "1.0.0" || c.operator.Status.History[0].State != platformv1alpha1.HistoryReady {
		t.Fatalf("it begins with %+v", c.operator.Status)
	}
	c.deployment = nil
	return c
}

// becomes replaces the status of the BundleDeployment, and sets its active revision.
func (c *cluster) becomes(to *corev1alpha2.BundleDeployment, active int64) {
	c.deployment.Status = to.Status
	c.deployment.Status.ObservedGeneration, c.deployment.Status.ActiveRevision = c.deployment.Generation, active
}

func TestBundleDeploymentThatWasDeletedIsRestored(t *testing.T) {
	manual := &platformv1alpha1.Upgrades{Approval: platformv1alpha1.ApprovalManual}
	for name, test := range map[string]struct {
		spec     func(*platformv1alpha1.PlatformOperatorSpec)
		catalogs Catalogs
		then     string // the final version
	}{
		"there is a newer version, which comes after it": {nil, oneCatalog{"1.0.0", "1.1.0"}, "1.1.0"},
		"a newer version waits for approval": {func(spec *platformv1alpha1.PlatformOperatorSpec) { spec.Upgrades = manual },
			oneCatalog{"1.0.0", "1.1.0"}, "1.0.0"},
		"no catalog can be read":    {nil, noCatalog{}, "1.0.0"},
		"no catalog has it anymore": {nil, oneCatalog{"0.9.0"}, "1.0.0"},
		"the spec cannot be read": {func(spec *platformv1alpha1.PlatformOperatorSpec) {
			spec.Package.CatalogSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Banana"}}}
		}, oneCatalog{"1.0.0", "1.1.0"}, "1.0.0"},
	} {
		t.Run(name, func(t *testing.T) {
			c := orphaned(t)
			if test.spec != nil {
				test.spec(&c.operator.Spec)
			}
			c.sync(t, test.catalogs)
			if c.deployment == nil || upgradestep.RecordedBundle(c.deployment).Version != "1.0.0" || c.deployment.Spec.InstallNamespace != "chosen-once" {
				t.Fatalf("what is restored: %+v", c.deployment)
			}
			c.deployment.Generation = 1
			c.sync(t, test.catalogs)
			conditions := c.operator.Status.Conditions
			if c.installed() != "1.0.0" || !meta.IsStatusConditionFalse(conditions, platformv1alpha1.ConditionInstalled) {
				t.Errorf("meanwhile status.installed is %q and the conditions are %+v", c.installed(), conditions)
			}
			if test.spec == nil && !meta.IsStatusConditionTrue(conditions, platformv1alpha1.ConditionProgressing) {
				t.Errorf("meanwhile it does not say that it progresses: %+v", conditions)
			}
			c.becomes(steptest.Deployment("Unpacked=True", "HasValidBundle=True", "Installed=True", "Healthy=False"), 0)
			c.sync(t, test.catalogs)
			if got := upgradestep.RecordedBundle(c.deployment).Version; got != "1.0.0" {
				t.Errorf("it moves on to %s before it is healthy", got)
			}
			c.becomes(steptest.Healthy(), 1)
			c.sync(t, test.catalogs)
			c.sync(t, test.catalogs)
			if got := upgradestep.RecordedBundle(c.deployment).Version; got != test.then {
				t.Errorf("then it is at %s, want %s", got, test.then)
			}
			var history []string
			for _, entry := range c.operator.Status.History {
				history = append(history, entry.Version+" "+string(entry.State)+" "+string(entry.Trigger))
			}
			want := []string{"1.0.0 Ready Restored", "1.0.0 Ready Installation"}
			if test.then != "1.0.0" {
				want = append([]string{test.then + " Installing Automatic"}, want...)
			}
			if diff := cmp.Diff(want, history); diff != "" {
				t.Errorf("history (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatWasRestoredAndDoesNotGetHealthyIsLeftByTheRules(t *testing.T) {
	c := orphaned(t)
	c.sync(t, oneCatalog{"1.0.0", "1.1.0"})
	c.deployment.Generation = 1
	c.becomes(steptest.Deployment("Unpacked=False"), 0)
	c.operator.Spec.Package.Version = "<1.0.0"
	c.operator.Generation++
	c.sync(t, oneCatalog{"0.9.0", "1.0.0", "1.1.0"})
	if got := upgradestep.RecordedBundle(c.deployment).Version; got != "1.0.0" {
		t.Errorf("it goes down to %s", got)
	}
	c.operator.Spec.Package.Version = ""
	c.operator.Generation++
	c.sync(t, oneCatalog{"0.9.0", "1.0.0", "1.1.0"})
	if got := upgradestep.RecordedBundle(c.deployment).Version; got != "1.1.0" || c.installed() != "1.0.0" {
		t.Fatalf("it is at %s, with %q installed", got, c.installed())
	}
	c.deployment.Generation = 2
	c.becomes(steptest.Deployment("Unpacked=True", "HasValidBundle=True", "Installed=True", "Healthy=False"), 0)
	c.sync(t, oneCatalog{"0.9.0", "1.0.0", "1.1.0"})
	if c.installed() != "1.0.0" {
		t.Errorf("%s counts as installed before it is healthy", c.installed())
	}
}

func TestNothingIsRestoredWhilePaused(t *testing.T) {
	c := orphaned(t)
	c.operator.Spec.Paused = true
	for range 2 {
		c.sync(t, oneCatalog{"1.0.0", "1.1.0"})
	}
	installed := meta.FindStatusCondition(c.operator.Status.Conditions, platformv1alpha1.ConditionInstalled)
	if c.deployment != nil || c.installed() != "1.0.0" || installed.Status != metav1.ConditionFalse {
		t.Fatalf("status.installed is %q, Installed is %+v, the BundleDeployment %+v", c.installed(), installed, c.deployment)
	}
	if len(c.writes) != 0 {
		t.Errorf("with nothing changed, a second sync wrote %q", c.writes)
	}
	c.operator.Spec.Paused = false
	c.sync(t, noCatalog{})
	if c.deployment == nil || upgradestep.RecordedBundle(c.deployment).Version != "1.0.0" || c.deployment.Spec.InstallNamespace != "chosen-once" {
		t.Errorf("then what is restored: %+v", c.deployment)
	}
}

func TestFirstInstallationThatWasNeverReadyBeginsAnew(t *testing.T) {
	c := running("1.0.0", "")
	c.becomes(steptest.Deployment("Unpacked=True", "HasValidBundle=True", "Installed=True", "Healthy=False"), 0)
	c.sync(t, oneCatalog{"1.0.0"})
	if c.installed() != "1.0.0" {
		t.Fatalf("status.installed is %q", c.installed())
	}
	c.deployment = nil
	c.sync(t, oneCatalog{"1.0.0", "1.1.0"})
	if got := upgradestep.RecordedBundle(c.deployment).Version; got != "1.1.0" || c.installed() != "" {
		t.Errorf("it begins with %s, and status.installed is %q", got, c.installed())
	}
}

func TestWhatWasRestoredAndIsStuckIsLeftWhenTheSpecChanges(t *testing.T) {
	c := orphaned(t)
	c.operator.Spec.Upgrades = &platformv1alpha1.Upgrades{Approval: platformv1alpha1.ApprovalManual}
	versions := oneCatalog{"1.0.0", "1.1.0"}
	c.sync(t, versions)
	c.deployment.Generation = 1
	c.becomes(steptest.Deployment("Unpacked=True", "HasValidBundle=True", "Installed=True", "Healthy=False", "Progressing=True"), 0)
	c.sync(t, versions)
	progressing := meta.FindStatusCondition(c.operator.Status.Conditions, platformv1alpha1.ConditionProgressing)
	if progressing.Status != metav1.ConditionTrue || !strings.Contains(progressing.Message, "Healthy is False") {
		t.Errorf("Progressing is %s/%s: %s", progressing.Status, progressing.Reason, progressing.Message)
	}
	c.operator.Spec.Upgrades.ApprovedVersion = "1.1.0"
	c.operator.Generation++
	c.sync(t, versions)
	if got := upgradestep.RecordedBundle(c.deployment).Version; got != "1.1.0" {
		t.Errorf("it is at %s", got)
	}
}

func TestVersionThatWasReachedIsRestoredThoughStatusWasBehind(t *testing.T) {
	c := running("1.0.0", "")
	versions := oneCatalog{"1.0.0", "1.1.0"}
	c.sync(t, versions)
	c.sync(t, versions)
	now := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	c.becomes(steptest.Healthy(), 2)
	c.deployment.DeletionTimestamp, c.deployment.Generation, c.deployment.Finalizers = &now, c.deployment.Generation+1, []string{corev1alpha2.Finalizer}
	c.sync(t, versions)
	c.deployment = nil
	c.sync(t, versions)
	if got := upgradestep.RecordedBundle(c.deployment).Version; got != "1.1.0" {
		t.Errorf("%s is restored", got)
	}
}

func TestRefusedRestorationNamesTheRemedy(t *testing.T) {
	c := orphaned(t)
	c.refuse = apierrors.NewInvalid(schema.GroupKind{Kind: "BundleDeployment"}, "op", nil)
	c.sync(t, oneCatalog{"1.0.0", "1.1.0"})
	installed := meta.FindStatusCondition(c.operator.Status.Conditions, platformv1alpha1.ConditionInstalled)
	if installed.Reason != platformv1alpha1.ReasonValidationFailed || !strings.Contains(installed.Message, "delete the PlatformOperator") || strings.Contains(installed.Message, "Exclude") {
		t.Errorf("Installed is %s: %s", installed.Reason, installed.Message)
	}
}
