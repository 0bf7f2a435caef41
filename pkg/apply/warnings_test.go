package apply

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/apply/reconcile"
)

func TestWarningsAreToldOnceWithTheFirstObject(t *testing.T) {
	memory := &warningMemory{first: map[string]Key{}}
	of := func(name string) reconcile.Outcome {
		return reconcile.Outcome{Desired: &object.Desired{Key: Key{Name: name}}}
	}
	var first, second Report
	for i := range 30 {
		first.addWarnings(memory, outcome{reconciled: of(fmt.Sprint("a", i)), warnings: []string{"old version", fmt.Sprint("field ", i)}})
	}
	if len(first.Warnings) != maxWarnings || first.Warnings[0] != " a0: old version" || first.Warnings[1] != " a0: field 0" {
		t.Errorf("got %d: %q", len(first.Warnings), first.Warnings)
	}
	second.addWarnings(memory, outcome{reconciled: of("later"), warnings: []string{"old version"}})
	if diff := cmp.Diff([]string{" a0: old version"}, second.Warnings); diff != "" {
		t.Errorf("in a later call (-want +got):\n%s", diff)
	}
}

func TestWarningsAreHeardInTheContextOfTheirRequest(t *testing.T) {
	ctx, received := collectWarnings(t.Context())
	for range 3 {
		WarningHandler().HandleWarningHeaderWithContext(ctx, warningCode, "-", "policy/v1beta1 is deprecated")
	}
	WarningHandler().HandleWarningHeaderWithContext(ctx, 199, "-", "of a proxy")
	for i := range 10 {
		WarningHandler().HandleWarningHeaderWithContext(ctx, warningCode, "-", fmt.Sprint("unknown field ", i))
	}
	got := received.list()
	if len(got) != maxReceived || got[0] != "policy/v1beta1 is deprecated" || got[1] != "unknown field 0" {
		t.Errorf("heard %q", got)
	}
}
