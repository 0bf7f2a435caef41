package platformoperator

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// leaving returns a cluster whose PlatformOperator is being deleted. wanted is its spec.deletion, and propagated that of its
// BundleDeployment.
func leaving(wanted, propagated *corev1alpha2.Deletion) *cluster {
	c := running("1.0.0", "1.0.0")
	now := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	c.operator.DeletionTimestamp = &now
	c.operator.Generation = 3 // the status has not observed this generation yet
	c.operator.Spec.Deletion, c.deployment.Spec.Deletion = wanted, propagated
	return c
}

func (c *cluster) removing() *cluster {
	c.deployment.DeletionTimestamp = c.operator.DeletionTimestamp
	c.deployment.Finalizers = []string{corev1alpha2.Finalizer}
	return c
}

func TestRemovalFollowsSpecDeletionOfThePlatformOperator(t *testing.T) {
	keep, drop := &corev1alpha2.Deletion{CRDs: corev1alpha2.CRDsOrphan}, &corev1alpha2.Deletion{CRDs: corev1alpha2.CRDsDelete}
	observed := leaving(keep, drop).removing()
	observed.operator.Status.ObservedGeneration = observed.operator.Generation
	foreign := leaving(keep, drop)
	foreign.deployment.OwnerReferences = nil
	const hand, take, status = "update bundledeployments", "delete bundledeployments", "update platformoperators/status"
	for name, c := range map[string]struct {
		cluster        *cluster
		writes, events []string
	}{
		"changed just before the deletion: it is propagated before the removal starts": {
			leaving(keep, drop), []string{hand, take, status}, []string{platformv1alpha1.EventRemovalStarted}},
		"changed while the removal lasts: it is propagated":          {leaving(keep, drop).removing(), []string{hand, status}, nil},
		"unset while the removal lasts: the class decides":           {leaving(nil, drop).removing(), []string{hand, status}, nil},
		"set for the first time while the removal lasts":             {leaving(keep, nil).removing(), []string{hand, status}, nil},
		"edited in the BundleDeployment: it is reverted, with Event": {observed, []string{hand, status}, []string{platformv1alpha1.EventBundleDeploymentReverted}},
		"as it was: the removal starts":                              {leaving(drop, drop), []string{take, status}, []string{platformv1alpha1.EventRemovalStarted}},
		"as it was while the removal lasts: nothing but status":      {leaving(drop, drop).removing(), []string{status}, nil},
		"a BundleDeployment of another owner is not touched":         {foreign, []string{"patch platformoperators"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c.cluster.sync(t, oneCatalog{"1.0.0"})
			if diff := cmp.Diff(c.writes, c.cluster.writes); diff != "" {
				t.Errorf("writes (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.events, c.cluster.events); diff != "" {
				t.Errorf("Events (-want +got):\n%s", diff)
			}
			if left := c.cluster.deployment; left != nil && c.cluster != foreign {
				if diff := cmp.Diff(c.cluster.operator.Spec.Deletion, left.Spec.Deletion); diff != "" {
					t.Errorf("spec.deletion of the PlatformOperator and of the BundleDeployment differ:\n%s", diff)
				}
				c.cluster.sync(t, oneCatalog{"1.0.0"})
				if len(c.cluster.writes) > 0 {
					t.Errorf("with nothing changed, a second sync wrote %q", c.cluster.writes)
				}
			}
		})
	}
}

// progresses syncs the PlatformOperator and compares its condition Progressing. A second sync must write nothing.
func (c *cluster) progresses(t *testing.T, status metav1.ConditionStatus, reason string, words ...string) {
	t.Helper()
	c.sync(t, oneCatalog{"1.0.0"})
	got := meta.FindStatusCondition(c.operator.Status.Conditions, platformv1alpha1.ConditionProgressing)
	for _, each := range words {
		if got == nil || got.Status != status || got.Reason != reason || !strings.Contains(got.Message, each) {
			t.Errorf("Progressing is %+v, want %s %s with %q", got, status, reason, each)
		}
	}
	if c.sync(t, oneCatalog{"1.0.0"}); len(c.writes) > 0 {
		t.Errorf("with nothing changed, a second sync wrote %q", c.writes)
	}
}

func TestABlockedRemovalDoesNotProgress(t *testing.T) {
	waits := leaving(nil, nil).removing()
	blocked := func(status metav1.ConditionStatus, reason, message string) {
		meta.SetStatusCondition(&waits.deployment.Status.Conditions, metav1.Condition{Type: corev1alpha2.ConditionRemovalBlocked, Status: status, Reason: reason, Message: message})
	}
	meta.SetStatusCondition(&waits.deployment.Status.Conditions, metav1.Condition{
		Type: corev1alpha2.ConditionProgressing, Status: metav1.ConditionTrue, Reason: corev1alpha2.ReasonRemoving, Message: "The removal waits: in use."})
	blocked(metav1.ConditionTrue, corev1alpha2.ReasonBlocked, "nothing is taken down; delete what is not needed.")
	waits.progresses(t, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, "The removal waits: nothing is taken down; delete what is not needed.")
	blocked(metav1.ConditionFalse, corev1alpha2.ReasonRemoving, "The removal needs no action.")
	waits.progresses(t, metav1.ConditionTrue, platformv1alpha1.ReasonRemoving, "The removal waits")

	t.Run("when the BundleDeployment is held by a finalizer of another owner", func(t *testing.T) {
		held := leaving(nil, nil).removing()
		held.deployment.Finalizers = []string{corev1alpha2.Finalizer, "example.com/mine"}
		held.progresses(t, metav1.ConditionTrue, platformv1alpha1.ReasonRemoving, "is being removed")
		held.deployment.Finalizers = []string{metav1.FinalizerDeleteDependents}
		held.progresses(t, metav1.ConditionTrue, platformv1alpha1.ReasonRemoving, "is being removed")
		held.deployment.Finalizers = []string{"example.com/a", "example.com/b", "example.com/c", "example.com/d", metav1.FinalizerDeleteDependents}
		held.progresses(t, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, "BundleDeployment", `"example.com/a", "example.com/b", "example.com/c" and 1 more`, "remove them by hand")
	})
	t.Run("and what is taken down blocks no cluster upgrade", func(t *testing.T) {
		held := leaving(nil, nil).removing()
		held.operator.Status.Installed = &platformv1alpha1.InstalledBundle{Bundle: "memo.v1.0.0", Version: "1.0.0", MaxOpenShiftVersion: "4.1"}
		installed := func() bool {
			t.Helper()
			held.sync(t, oneCatalog{"1.0.0"})
			return held.operator.Status.Installed != nil
		}
		if !installed() {
			t.Error("while it is being taken down, status.installed is empty")
		}
		held.deployment.Finalizers = []string{"example.com/mine"}
		if installed() {
			t.Error("when it has been taken down, status.installed is set")
		}
		for conditionType, want := range map[string]metav1.ConditionStatus{platformv1alpha1.ConditionUpgradeable: metav1.ConditionTrue, platformv1alpha1.ConditionHealthy: metav1.ConditionUnknown} {
			if got := meta.FindStatusCondition(held.operator.Status.Conditions, conditionType); got == nil || got.Status != want {
				t.Errorf("%s is %+v, want %s", conditionType, got, want)
			}
		}
	})
	t.Run("when the PlatformOperator itself is", func(t *testing.T) {
		held := leaving(nil, nil)
		held.deployment = nil
		held.operator.Finalizers = []string{"example.com/mine"}
		held.progresses(t, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, "has released", `"example.com/mine"`, "remove them by hand")
	})
}

func TestRemovalReportsTheConditionOfTheBundleDeployment(t *testing.T) {
	c := leaving(nil, nil).removing()
	meta.SetStatusCondition(&c.deployment.Status.Conditions, metav1.Condition{
		Type: corev1alpha2.ConditionProgressing, Status: metav1.ConditionFalse, Reason: corev1alpha2.ReasonAsExpected, Message: "Revision 1 is active."})
	says := func(words string) {
		t.Helper()
		c.progresses(t, metav1.ConditionTrue, platformv1alpha1.ReasonRemoving, words)
	}
	says("is being removed") // the BundleDeployment's condition is older than the removal
	meta.SetStatusCondition(&c.deployment.Status.Conditions, metav1.Condition{
		Type: corev1alpha2.ConditionProgressing, Status: metav1.ConditionTrue, Reason: corev1alpha2.ReasonRemoving, Message: "Waiting for custom resources."})
	says("Waiting for custom resources.")
}
