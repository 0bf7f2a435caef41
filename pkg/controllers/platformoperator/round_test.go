package platformoperator

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// countedFleet counts the calls of For.
type countedFleet struct {
	*fleet
	calls int
}

func (f *countedFleet) For(pkg string) []resolve.Catalog {
	f.calls++
	return f.fleet.For(pkg)
}

func TestARoundDecidesAllOperatorsTogether(t *testing.T) {
	const size = 30
	f := newFleet(t, size)
	needed := fleetKind("Ofop02")
	f.offer("op01", catalog.Bundle{}, catalog.Bundle{Requirements: []catalog.Requirement{{GVK: &needed}}})
	f.drain(t, f.names()...)
	counted := &countedFleet{fleet: f}
	f.controller = f.restarted(t)
	f.controller.catalogs, f.controller.isOneRound = counted, true
	f.client.ClearActions()
	for _, name := range f.names() {
		if err := f.controller.sync(t.Context(), keyed{f.syncs, name}); err != nil {
			t.Fatal(err)
		}
	}
	for _, action := range f.client.Actions() {
		if action.GetVerb() != "get" {
			t.Errorf("a manager that goes on would not %s %s", action.GetVerb(), action.GetResource().Resource)
		}
	}
	if counted.calls > 3*size {
		t.Errorf("the catalogs were asked %d times for %d operators: each operator is decided with all others", counted.calls, size)
	}
}

func TestARoundDecidesAChangedRequestAnew(t *testing.T) {
	f := newFleet(t, 2)
	f.offer("op01", catalog.Bundle{}, catalog.Bundle{})
	f.controller.isOneRound = true
	r := reconciliationOf(t, f, "op01")
	request := requestOf(t, f, "op01")
	ended, end := context.WithCancel(t.Context())
	end()
	if _, isDecided := f.controller.decideRound(ended, r, request); isDecided {
		t.Error("a decision of a context that has ended counts")
	}
	if decision, isDecided := f.controller.decideRound(t.Context(), r, request); !isDecided || decision.Chosen == nil || decision.Chosen.Version.String() != "2.0.0" {
		t.Errorf("got %+v, decided %t", decision, isDecided)
	}
	request.VersionRange = "1.x"
	if _, isDecided := f.controller.decideRound(t.Context(), r, request); isDecided {
		t.Error("the decision about the input counts for a request that differs from it")
	}
	decision, err := f.controller.resolve(t.Context(), r, request)
	if err != nil || decision.Chosen == nil || decision.Chosen.Version.String() != "1.0.0" {
		t.Errorf("got %+v, error %v", decision, err)
	}
}

func reconciliationOf(t *testing.T, f *fleet, name string) *reconciliation {
	t.Helper()
	operator, err := f.client.PlatformV1alpha1().PlatformOperators().Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cluster, _, err := f.controller.readCluster()
	if err != nil {
		t.Fatal(err)
	}
	return &reconciliation{operator: operator, cluster: cluster}
}

// requestOf returns the request of an operator in the input.
func requestOf(t *testing.T, f *fleet, name string) resolve.Request {
	t.Helper()
	requests, err := f.controller.requests(reconciliationOf(t, f, name).cluster, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range requests {
		if each.Operator == name {
			return each
		}
	}
	t.Fatalf("%s has no request", name)
	return resolve.Request{}
}
