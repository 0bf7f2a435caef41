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

// leaving is a cluster on which the PlatformOperator is deleted; wanted is its spec.deletion, and handedOn what its
// BundleDeployment has of it.
func leaving(wanted, handedOn *corev1alpha2.Deletion) *cluster {
	c := running("1.0.0", "1.0.0")
	now := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	c.operator.DeletionTimestamp = &now
	c.operator.Generation = 3 // of which status does not tell yet
	c.operator.Spec.Deletion, c.deployment.Spec.Deletion = wanted, handedOn
	return c
}

func (c *cluster) removing() *cluster {
	c.deployment.DeletionTimestamp = c.operator.DeletionTimestamp
	c.deployment.Finalizers = []string{corev1alpha2.Finalizer}
	return c
}

func TestRemovalGoesByWhatThePlatformOperatorSaysOfCRDs(t *testing.T) {
	keep, drop := &corev1alpha2.Deletion{CRDs: corev1alpha2.CRDsOrphan}, &corev1alpha2.Deletion{CRDs: corev1alpha2.CRDsDelete}
	told := leaving(keep, drop).removing()
	told.operator.Status.ObservedGeneration = told.operator.Generation
	foreign := leaving(keep, drop)
	foreign.deployment.OwnerReferences = nil
	const hand, take, status = "update bundledeployments", "delete bundledeployments", "update platformoperators/status"
	for name, c := range map[string]struct {
		cluster        *cluster
		writes, events []string
	}{
		"changed just before the deletion: it is handed on before the removal begins": {
			leaving(keep, drop), []string{hand, take, status}, []string{platformv1alpha1.EventRemovalStarted}},
		"changed while the removal lasts: it is handed on":           {leaving(keep, drop).removing(), []string{hand, status}, nil},
		"taken away while the removal lasts: the class decides":      {leaving(nil, drop).removing(), []string{hand, status}, nil},
		"said for the first time while the removal lasts":            {leaving(keep, nil).removing(), []string{hand, status}, nil},
		"edited in the BundleDeployment: it is put back, with Event": {told, []string{hand, status}, []string{platformv1alpha1.EventBundleDeploymentPutBack}},
		"as it was: the removal begins":                              {leaving(drop, drop), []string{take, status}, []string{platformv1alpha1.EventRemovalStarted}},
		"as it was while the removal lasts: nothing but status":      {leaving(drop, drop).removing(), []string{status}, nil},
		"a BundleDeployment that is somebody else's is not touched":  {foreign, []string{"update platformoperators"}, nil},
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

func TestRemovalIsToldInTheWordsOfTheBundleDeployment(t *testing.T) {
	c := leaving(nil, nil).removing()
	meta.SetStatusCondition(&c.deployment.Status.Conditions, metav1.Condition{
		Type: corev1alpha2.ConditionProgressing, Status: metav1.ConditionFalse, Reason: corev1alpha2.ReasonAsExpected, Message: "Revision 1 is active."})
	says := func(words string) {
		t.Helper()
		c.sync(t, oneCatalog{"1.0.0"})
		got := meta.FindStatusCondition(c.operator.Status.Conditions, platformv1alpha1.ConditionProgressing)
		if got == nil || got.Status != metav1.ConditionTrue || got.Reason != platformv1alpha1.ReasonRemoving || !strings.Contains(got.Message, words) {
			t.Errorf("Progressing is %+v, want True Removing with %q", got, words)
		}
	}
	says("is being taken down") // the BundleDeployment's own words are of before
	meta.SetStatusCondition(&c.deployment.Status.Conditions, metav1.Condition{
		Type: corev1alpha2.ConditionProgressing, Status: metav1.ConditionTrue, Reason: corev1alpha2.ReasonRemoving, Message: "Waiting for custom resources."})
	says("Waiting for custom resources.")
}
