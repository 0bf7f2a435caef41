package operatorhealth

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	configv1 "github.com/openshift/api/config/v1"
	configv1listers "github.com/openshift/client-go/config/listers/config/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

func TestClusterInstalledOnceAnUpdateHasCompleted(t *testing.T) {
	with := func(states ...configv1.UpdateState) []*configv1.ClusterVersion {
		version := &configv1.ClusterVersion{ObjectMeta: metav1.ObjectMeta{Name: "version"}}
		for _, state := range states {
			version.Status.History = append(version.Status.History, configv1.UpdateHistory{State: state})
		}
		return []*configv1.ClusterVersion{version}
	}
	for name, test := range map[string]struct {
		versions []*configv1.ClusterVersion
		want     bool
	}{
		"no ClusterVersion: nobody waits":       {nil, true},
		"nothing has happened yet":              {with(), false},
		"the installation is under way":         {with(configv1.PartialUpdate), false},
		"the installation is complete":          {with(configv1.CompletedUpdate), true},
		"a later update is under way":           {with(configv1.PartialUpdate, configv1.CompletedUpdate), true},
		"a retargeted installation, still none": {with(configv1.PartialUpdate, configv1.PartialUpdate), false},
	} {
		t.Run(name, func(t *testing.T) {
			indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)
			for _, version := range test.versions {
				if err := indexer.Add(version); err != nil {
					t.Fatal(err)
				}
			}
			got, err := clusterInstalled(configv1listers.NewClusterVersionLister(indexer))
			if err != nil || got != test.want {
				t.Errorf("got %t, %v, want %t", got, err, test.want)
			}
		})
	}
}

func TestStateOfTellsWhetherTheOperatorEverWorked(t *testing.T) {
	since := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	operator := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: "quay"}}
	operator.Spec.Paused = true
	operator.Status.Installed = &platformv1alpha1.InstalledBundle{Bundle: "quay.v1"}
	operator.Status.Conditions = []metav1.Condition{{Type: platformv1alpha1.ConditionHealthy, Status: metav1.ConditionFalse,
		Reason: "Unhealthy", Message: "m", LastTransitionTime: metav1.NewTime(since)}}

	deployment := &corev1alpha2.BundleDeployment{}
	if state := stateOf(operator, deployment); state.EverInstalled {
		t.Error("applied, but never healthy: it never worked")
	}
	if state := stateOf(operator, nil); state.EverInstalled {
		t.Error("without a BundleDeployment nothing works")
	}
	lost := operator.DeepCopy()
	lost.Status.History = []platformv1alpha1.HistoryEntry{{Bundle: "quay.v1", ReadyTime: &metav1.Time{Time: since}}}
	if state := stateOf(lost, deployment); !state.EverInstalled {
		t.Error("its revision is lost, but history shows that it worked")
	}
	deployment.Status.ActiveRevision = 1
	state := stateOf(operator, deployment)
	if state.Removing {
		t.Error("nobody has deleted it")
	}
	operator.DeletionTimestamp = &metav1.Time{Time: since}
	if !stateOf(operator, deployment).Removing {
		t.Error("it was deleted")
	}
	if !state.EverInstalled || !state.Paused || state.Name != "quay" {
		t.Errorf("state is %+v", state)
	}
	if state.Healthy.Status != "False" || state.Healthy.Reason != "Unhealthy" || !state.Healthy.Since.Equal(since) {
		t.Errorf("health is %+v", state.Healthy)
	}
	if state.Installed.Status != "Unknown" {
		t.Errorf("a condition that was not written yet is %q", state.Installed.Status)
	}
}
