package platformoperator

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/deploymentspec"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgradestep"
	"github.com/openshift/platform-operators/test/steptest"
)

// runs makes the first version of an operator's package the installed one, with its BundleDeployment.
func (f *fleet) runs(t *testing.T, name string) {
	t.Helper()
	operator, err := f.client.PlatformV1alpha1().PlatformOperators().Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	first := upgradestep.BundleOf(resolve.Candidate{Catalog: steptest.Candidate("").Catalog, Channel: "stable", Bundle: f.packages[name].Bundles[0]})
	operator.Status.Installed = &first
	if _, err := f.client.PlatformV1alpha1().PlatformOperators().UpdateStatus(t.Context(), operator, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	deployment := deploymentspec.New(operator, first, nil, name+"-system")
	deployment.Generation, deployment.Status, deployment.Status.ActiveRevision = 1, steptest.Healthy().Status, 1
	if _, err := f.client.CoreV1alpha2().BundleDeployments().Create(t.Context(), deployment, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	f.see(t, name)
}

// operator returns the stored PlatformOperator with this name.
func (f *fleet) operator(t *testing.T, name string) *platformv1alpha1.PlatformOperator {
	t.Helper()
	operator, err := f.client.PlatformV1alpha1().PlatformOperators().Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return operator
}

// deployed returns the version of the bundle that the BundleDeployment of an operator records.
func (f *fleet) deployed(t *testing.T, name string) string {
	t.Helper()
	deployment, err := f.client.CoreV1alpha2().BundleDeployments().Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return upgradestep.RecordedBundle(deployment).Version
}

func TestHRD_B1_APackageOverTheBudgetIsNamedAndOthersAreDecided(t *testing.T) {
	f := newFleet(t, 2)
	f.controller.limit.Steps = 1000
	f.offer("op00", make([]catalog.Bundle, 300)...)
	f.offer("op01", catalog.Bundle{}, catalog.Bundle{})
	f.runs(t, "op00")
	f.runs(t, "op01")
	f.drain(t, f.names()...)

	large := f.operator(t, "op00")
	if updates := large.Status.AvailableUpdates; len(updates) != platformv1alpha1.MaxAvailableUpdates || large.Status.AvailableUpdatesTotal != 299 {
		t.Fatalf("the large one lists %d updates of %d", len(updates), large.Status.AvailableUpdatesTotal)
	}
	for _, update := range large.Status.AvailableUpdates {
		if update.BlockedReason != platformv1alpha1.BlockedSearchLimit || !strings.Contains(update.BlockedMessage, `package "op00" is too large`) || len(update.Path) > 0 {
			t.Fatalf("the large one: %+v", update)
		}
	}
	progressing := meta.FindStatusCondition(large.Status.Conditions, platformv1alpha1.ConditionProgressing)
	if progressing.Status != metav1.ConditionFalse || progressing.Reason != platformv1alpha1.ReasonBlocked || !strings.Contains(progressing.Message, `package "op00" is too large`) ||
		!strings.Contains(progressing.Message, "spec.package.channels") {
		t.Errorf("Progressing of the large one is %s/%s: %s", progressing.Status, progressing.Reason, progressing.Message)
	}
	if !meta.IsStatusConditionTrue(large.Status.Conditions, platformv1alpha1.ConditionInstalled) || f.deployed(t, "op00") != "1.0.0" {
		t.Errorf("the large one does not stay what it is: %+v", large.Status)
	}
	if got := f.deployed(t, "op01"); got != "2.0.0" {
		t.Errorf("the other one is at %s", got)
	}
}

// ending is a fleet whose catalogs call end when package pkg is read.
type ending struct {
	*fleet
	pkg string
	end context.CancelFunc
}

func (e ending) For(pkg string) []resolve.Catalog {
	if pkg == e.pkg {
		e.end()
	}
	return e.fleet.For(pkg)
}

func TestHRD_B1_AContextThatEndsASearchWritesNothing(t *testing.T) {
	f := newFleet(t, 1)
	f.offer("op00", make([]catalog.Bundle, 2000)...)
	f.runs(t, "op00")
	f.client.ClearActions()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f.controller.catalogs = ending{f, "op00", cancel}
	if err := f.controller.sync(ctx, keyed{f.syncs, "op00"}); !errors.Is(err, context.Canceled) {
		t.Errorf("the sync ends with %v", err)
	}
	for _, action := range f.client.Actions() {
		if !slices.Contains([]string{"get", "list", "watch"}, action.GetVerb()) {
			t.Errorf("it writes: %s %s", action.GetVerb(), action.GetResource().Resource)
		}
	}
	f.controller.catalogs = f
	f.drain(t, "op00")
	f.drain(t, "op00") // the reached version is reported before the next step starts
	if got := f.deployed(t, "op00"); got != "2000.0.0" {
		t.Errorf("later it is at %s", got)
	}
}
