package platformoperator

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/deploymentspec"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgradestep"
	"github.com/openshift/platform-operators/test/steptest"
)

// permitting is a catalog of package "op". It maps each version to its declared maximum OpenShift version; "" is none.
type permitting map[string]string

func (permitting) Unlisted() []string { return nil }

func (p permitting) For(string) []resolve.Catalog {
	var versions []string
	for version := range p {
		versions = append(versions, version)
	}
	slices.Sort(versions)
	offers := oneCatalog(versions).For("")
	for i := range offers[0].Package.Bundles {
		if most := p[offers[0].Package.Bundles[i].Version]; most != "" {
			offers[0].Package.Bundles[i].MaxOpenShiftVersions = []string{fmt.Sprintf("%q", most)}
		}
	}
	return offers
}

func (permitting) Providers(catalog.GVK) []resolve.ProviderHint { return nil }

// unreachable is a catalog that cannot be read.
type unreachable struct{ permitting }

func (unreachable) Unlisted() []string { return nil }

func (unreachable) For(string) []resolve.Catalog {
	return []resolve.Catalog{{ID: steptest.Candidate("").Catalog, Err: errors.New("connection refused"), Unavailable: true}}
}

// at421 returns a cluster of version 4.21 on which version 1.0.0 of "op" is installed. most is the maximum OpenShift version that it
// declares.
func at421(most string) *cluster {
	c := running("1.0.0", "1.0.0")
	c.version = "4.21.3"
	c.operator.Status.Installed.MaxOpenShiftVersion = most
	c.records(*c.operator.Status.Installed)
	return c
}

// records stores a bundle as the recorded bundle of the BundleDeployment.
func (c *cluster) records(bundle platformv1alpha1.InstalledBundle) {
	c.deployment.Annotations = deploymentspec.New(c.operator, bundle, nil, "op-system").Annotations
}

func (c *cluster) reachable() string {
	compatibility := c.operator.Status.Compatibility
	if compatibility == nil {
		return "nothing"
	}
	return fmt.Sprintf("%s: now %s, after updates %s", compatibility.MaxOpenShiftVersion, compatibility.HighestReachable, compatibility.AfterUpdates)
}

// acknowledged returns the override that the status reports as effective; nil if there is none.
func acknowledged(c *cluster) *corev1alpha2.CompatibilityOverride {
	if c.operator.Status.Compatibility == nil {
		return nil
	}
	return c.operator.Status.Compatibility.Acknowledged
}

func (c *cluster) upgradeable() metav1.Condition {
	return *meta.FindStatusCondition(c.operator.Status.Conditions, platformv1alpha1.ConditionUpgradeable)
}

// Promise CLU-G10: Status of an operator says how far the cluster may go now, and how far after the available updates, at most two minor
// versions ahead.
func TestCLU_G10_StatusSaysHowFarTheClusterMayGoNowAndAfterUpdates(t *testing.T) {
	for name, test := range map[string]struct {
		catalog permitting
		change  func(*cluster)
		want    string
	}{
		"two updates, and the cluster may go two minor versions on": {permitting{"1.0.0": "4.21", "1.1.0": "4.22", "1.2.0": "4.23"}, nil, "4.21: now 4.21, after updates 4.23"},
		"an update that permits the next":                           {permitting{"1.0.0": "4.21", "1.1.0": "4.22"}, nil, "4.21: now 4.21, after updates 4.22"},
		"5.0 is 4.23":                                               {permitting{"1.0.0": "4.22", "1.1.0": "5.0"}, nil, "4.22: now 4.22, after updates 4.23"},
		"nothing is declared: no further than two minor versions":   {permitting{"1.0.0": ""}, nil, ": now 4.23, after updates 4.23"},
		"more is declared than is looked ahead for":                 {permitting{"1.0.0": "5.9"}, nil, "5.9: now 4.23, after updates 4.23"},
		"what needs an approval counts": {permitting{"1.0.0": "4.21", "1.1.0": "4.23"},
			func(c *cluster) {
				c.operator.Spec.Upgrades = &platformv1alpha1.Upgrades{Approval: platformv1alpha1.ApprovalManual}
			}, "4.21: now 4.21, after updates 4.23"},
		"what the spec excludes does not": {permitting{"1.0.0": "4.21", "1.1.0": "4.23"},
			func(c *cluster) { c.operator.Spec.Package.Version = "1.0.x" }, "4.21: now 4.21, after updates 4.21"},
		"the cluster's version is not known": {permitting{"1.0.0": "4.21", "1.1.0": "4.23"}, func(c *cluster) { c.version = "" }, "4.21: now , after updates "},
		"the cluster is at 4.23 already":     {permitting{"1.0.0": "5.0", "1.1.0": "5.1"}, func(c *cluster) { c.version = "4.23.0" }, "5.0: now 4.23, after updates 5.1"},
	} {
		t.Run(name, func(t *testing.T) {
			c := at421(test.catalog["1.0.0"])
			c.operator.Spec.Paused = true // so that no step starts
			if test.change != nil {
				test.change(c)
			}
			for range 3 {
				c.sync(t, test.catalog)
			}
			if got := c.reachable(); got != test.want {
				t.Errorf("it says %q, want %q", got, test.want)
			}
			if len(c.writes) > 0 {
				t.Errorf("nothing changes, and it writes %q", c.writes)
			}
			reported := *c.operator.Status.Compatibility
			c.sync(t, unreachable{test.catalog})
			if diff := cmp.Diff(reported, *c.operator.Status.Compatibility); diff != "" {
				t.Errorf("with the catalog gone (-before +after):\n%s", diff)
			}
		})
	}
	t.Run("between two versions the stricter counts", func(t *testing.T) {
		c := running("1.1.0", "1.0.0")
		c.version = "4.21.0"
		c.operator.Status.Installed.MaxOpenShiftVersion = "4.23"
		record := *upgradestep.RecordedBundle(c.deployment)
		record.MaxOpenShiftVersion = "4.22"
		c.records(record)
		c.deployment.Status.Revisions = []corev1alpha2.Revision{{Number: 2, State: corev1alpha2.RevisionRollingOut, Bundle: record.Bundle, Presence: corev1alpha2.Present}}
		meta.SetStatusCondition(&c.deployment.Status.Conditions, metav1.Condition{Type: "Healthy", Status: metav1.ConditionFalse, Reason: "Test", Message: "not yet"})
		c.sync(t, permitting{"1.0.0": "4.23", "1.1.0": "4.22", "1.2.0": "4.23"})
		if got := c.reachable(); got != "4.22: now 4.22, after updates 4.23" {
			t.Errorf("it says %q", got)
		}
	})
	t.Run("nothing is installed", func(t *testing.T) {
		c := at421("4.21")
		c.deployment, c.operator.Status = nil, platformv1alpha1.PlatformOperatorStatus{}
		c.sync(t, permitting{"1.0.0": "4.21"})
		if got := c.reachable(); got != "nothing" {
			t.Errorf("it says %q", got)
		}
	})
}

// HRD-G1: the status of a PlatformOperator reports the maximum OpenShift version that the upgrade gate uses.
func TestHRD_G1_AnOperatorTellsWhatOfItCountsAtTheGate(t *testing.T) {
	for name, test := range map[string]struct {
		state    corev1alpha2.RevisionState
		presence corev1alpha2.Presence
		want     string // the reason of Upgradeable, and the versions that the cluster may reach
	}{
		"a first installation that has started":            {corev1alpha2.RevisionRollingOut, corev1alpha2.Present, "IncompatibleOperator 4.21: now 4.21, after updates 4.21"},
		"one that has written nothing":                     {corev1alpha2.RevisionRollingOut, corev1alpha2.Absent, "AsExpected nothing"},
		"one that failed, and of which something is there": {corev1alpha2.RevisionFailed, corev1alpha2.Present, "IncompatibleOperator 4.21: now 4.21, after updates 4.21"},
		"one that failed, and of which all was removed":    {corev1alpha2.RevisionFailed, corev1alpha2.Absent, "AsExpected nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			c := at421("4.21")
			c.operator.Status = platformv1alpha1.PlatformOperatorStatus{}
			c.operator.Spec.Upgrades = &platformv1alpha1.Upgrades{Approval: platformv1alpha1.ApprovalManual}
			c.deployment.Status.Conditions, c.deployment.Status.ActiveRevision = nil, 0
			c.deployment.Status.Revisions = []corev1alpha2.Revision{{Number: 1, State: test.state, Bundle: upgradestep.RecordedBundle(c.deployment).Bundle, MaxOpenShiftVersions: []string{`"4.21"`}, Presence: test.presence}}
			c.sync(t, permitting{"1.0.0": "4.21"})
			if got := c.upgradeable().Reason + " " + c.reachable(); c.operator.Status.Installed != nil || got != test.want {
				t.Errorf("it says %q, want %q; installed is %v", got, test.want, c.operator.Status.Installed)
			}
		})
	}
}

func override(version, reason string, expires time.Time) corev1alpha2.CompatibilityOverride {
	each := corev1alpha2.CompatibilityOverride{OpenShiftVersion: version, Reason: reason}
	if !expires.IsZero() {
		each.Expires = &metav1.Time{Time: expires}
	}
	return each
}

func TestOverrideIsInEffectForTheNextMinorVersionUntilItExpires(t *testing.T) {
	expires := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	for name, most := range map[string]string{"a maximum that is too low": "4.21", "one that cannot be read": "garbage"} {
		t.Run(name, func(t *testing.T) {
			catalog := permitting{"1.0.0": most}
			c := at421(most)
			c.sync(t, catalog)
			c.operator.Spec.CompatibilityOverrides = []corev1alpha2.CompatibilityOverride{override("4.22", "Ada, ticket 7", expires)}
			c.sync(t, catalog)
			got := c.upgradeable()
			if got.Status != metav1.ConditionTrue || got.Reason != platformv1alpha1.ReasonOverrideAcknowledged || !strings.Contains(got.Message, "4.22 is acknowledged until 2026-01-02T00:00:00Z, for the reason \"Ada, ticket 7\".") {
				t.Errorf("Upgradeable is %s/%s: %s", got.Status, got.Reason, got.Message)
			}
			if in := acknowledged(c); in == nil || in.Reason != "Ada, ticket 7" {
				t.Errorf("status.compatibility.acknowledged is %+v", in)
			}
			if diff := cmp.Diff([]string{platformv1alpha1.EventOverrideAcknowledged}, c.events); diff != "" {
				t.Errorf("Events (-want +got):\n%s", diff)
			}
			c.sync(t, catalog)
			if len(c.writes)+len(c.events) > 0 {
				t.Errorf("nothing changes, and there are %q and %q", c.writes, c.events)
			}
			c.now = expires
			c.sync(t, catalog)
			if got := c.upgradeable(); got.Status != metav1.ConditionFalse {
				t.Errorf("after it expired Upgradeable is %s/%s: %s", got.Status, got.Reason, got.Message)
			}
			if diff := cmp.Diff([]string{platformv1alpha1.EventOverrideExpired}, c.events); diff != "" || acknowledged(c) != nil {
				t.Errorf("after it expired, Events (-want +got):\n%s", diff)
			}
			c.sync(t, catalog)
			if len(c.writes)+len(c.events) > 0 {
				t.Errorf("nothing changes any more, and there are %q and %q", c.writes, c.events)
			}
		})
	}
}

func TestOverrideWithoutEffectIsIgnoredWithAWarning(t *testing.T) {
	tomorrow := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		override corev1alpha2.CompatibilityOverride
		words    string
	}{
		"for another minor version": {override("4.23", "Ada", tomorrow), "the cluster's next minor version is 4.22"},
		"without a reason":          {override("4.22", "", tomorrow), "set its reason"},
		"without an end":            {override("4.22", "Ada", time.Time{}), "set its expires"},
		"expired":                   {override("4.22", "Ada", tomorrow.Add(-48*time.Hour)), "it expired at 2025-12-31T00:00:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			c := at421("4.21")
			c.operator.Spec.CompatibilityOverrides = []corev1alpha2.CompatibilityOverride{test.override}
			c.sync(t, permitting{"1.0.0": "4.21"})
			if got := c.upgradeable(); got.Reason != platformv1alpha1.ReasonIncompatibleOperator || acknowledged(c) != nil {
				t.Errorf("Upgradeable is %s/%s", got.Status, got.Reason)
			}
			if !slices.ContainsFunc(c.operator.Status.Warnings, func(w string) bool { return strings.Contains(w, test.words) }) {
				t.Errorf("warnings are %q, and none says %q", c.operator.Status.Warnings, test.words)
			}
		})
	}
	t.Run("one that is not needed is neither", func(t *testing.T) {
		c := at421("")
		c.sync(t, permitting{"1.0.0": ""})
		c.operator.Spec.CompatibilityOverrides = []corev1alpha2.CompatibilityOverride{override("4.22", "Ada", tomorrow)}
		c.sync(t, permitting{"1.0.0": ""})
		if got := c.upgradeable(); got.Reason != platformv1alpha1.ReasonAsExpected || acknowledged(c) != nil || len(c.operator.Status.Warnings) > 0 || len(c.events) > 0 {
			t.Errorf("Upgradeable is %s/%s, warnings are %q, Events %q", got.Status, got.Reason, c.operator.Status.Warnings, c.events)
		}
	})
}
