package platformoperator

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgradestep"
	"github.com/openshift/platform-operators/test/steptest"
)

// listed returns the versions and paths of the updates in the status, and their total number in the status.
func listed(c *cluster) (versions []string, total int32) {
	for _, update := range c.operator.Status.AvailableUpdates {
		versions = append(versions, update.Version)
		for _, step := range update.Path {
			versions = append(versions, " by "+step)
		}
	}
	return versions, c.operator.Status.AvailableUpdatesTotal
}

// withUnreadable adds a catalog that cannot be read to Catalogs. Catalogs may be nil.
type withUnreadable struct{ Catalogs }

func (withUnreadable) Unlisted() []string { return nil }

func (a withUnreadable) For(pkg string) []resolve.Catalog {
	unread := resolve.Catalog{ID: catalog.ID{Kind: catalog.KindClusterCatalog, Name: "unreadable"}, Priority: -1, Err: errors.New("no route to host")}
	if a.Catalogs == nil {
		return []resolve.Catalog{unread}
	}
	return append(a.Catalogs.For(pkg), unread)
}

func TestUpdateThatWasReachedIsNoUpdateAnyMore(t *testing.T) {
	for name, test := range map[string]struct {
		catalogs Catalogs
		want     []string
	}{
		"with a catalog that has it":                                  {oneCatalog{"1.0.0", "1.1.0"}, nil},
		"with a catalog that has it, and another that cannot be read": {withUnreadable{oneCatalog{"1.0.0", "1.1.0"}}, nil},
		"while no catalog can be read":                                {withUnreadable{}, []string{"1.2.0", " by 1.2.0"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := running("1.1.0", "1.0.0")
			c.operator.Status.AvailableUpdates = []platformv1alpha1.AvailableUpdate{
				{Version: "1.2.0", Path: []string{"1.1.0", "1.2.0"}}, {Version: "1.1.0", Path: []string{"1.1.0"}}, {Version: "1.0.1", BlockedReason: platformv1alpha1.BlockedNoEdge}}
			c.operator.Status.AvailableUpdatesTotal = 3
			c.sync(t, test.catalogs) // so that the status has it as installed
			c.sync(t, test.catalogs)
			versions, total := listed(c)
			if diff := cmp.Diff(test.want, versions); diff != "" || int(total) != len(c.operator.Status.AvailableUpdates) {
				t.Errorf("at %s there are %d updates (-want +got):\n%s", c.installed(), total, diff)
			}
		})
	}
}

// TestStepIsNotRevertedWhileItsCatalogCannotBeRead shows that a bundle is not treated as withdrawn while its catalog cannot be read, such
// as after a restart of the manager.
func TestStepIsNotRevertedWhileItsCatalogCannotBeRead(t *testing.T) {
	for name, test := range map[string]struct {
		from string
		want string
	}{
		"it came from the one that cannot be read": {"ClusterCatalog/unreadable", "1.1.0"},
		"it came from the one that has it no more": {steptest.Candidate("").Catalog.String(), "1.0.0"},
	} {
		t.Run(name, func(t *testing.T) {
			c := running("1.1.0", "1.0.0")
			record := steptest.Bundle("1.1.0")
			record.Catalog = test.from
			c.deployment.Annotations[platformv1alpha1.AnnotationBundle] = asJSON(t, record)
			c.deployment.Status.Conditions = steptest.Deployment("Unpacked=True", "HasValidBundle=True", "Installed=True", "Healthy=False").Status.Conditions
			c.sync(t, withUnreadable{oneCatalog{"1.0.0"}})
			if got := upgradestep.RecordedBundle(c.deployment).Version; got != test.want {
				t.Errorf("it goes to %s, want %s", got, test.want)
			}
		})
	}
}

func TestSpecThatCannotBeMetIsReportedThoughACatalogCannotBeRead(t *testing.T) {
	for name, test := range map[string]struct {
		catalogs Catalogs
		reason   string
	}{
		"another catalog cannot be read": {withUnreadable{oneCatalog{"1.0.0", "1.1.0"}}, platformv1alpha1.ReasonBlocked},
		"no catalog can be read":         {withUnreadable{}, platformv1alpha1.ReasonAsExpected},
	} {
		t.Run(name, func(t *testing.T) {
			c := running("1.0.0", "1.0.0")
			c.operator.Spec.Package.Version = "9.x"
			c.sync(t, test.catalogs)
			progressing := meta.FindStatusCondition(c.operator.Status.Conditions, platformv1alpha1.ConditionProgressing)
			if progressing.Reason != test.reason {
				t.Errorf("Progressing is %s/%s: %s", progressing.Status, progressing.Reason, progressing.Message)
			}
		})
	}
}
