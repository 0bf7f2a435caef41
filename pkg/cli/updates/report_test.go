package updates

import (
	"fmt"
	"strings"
	"testing"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/cli/remedy"
)

func TestCLI_7_UpdatesThatAreAllBlocked(t *testing.T) {
	permitted := platformv1alpha1.AvailableUpdate{Version: "1.1.0"}
	blocked := platformv1alpha1.AvailableUpdate{Version: "1.2.0", BlockedReason: platformv1alpha1.BlockedNoEdge}
	for name, test := range map[string]struct {
		updates []platformv1alpha1.AvailableUpdate
		want    bool
	}{
		"None":       {nil, false},
		"AllBlocked": {[]platformv1alpha1.AvailableUpdate{blocked, blocked}, true},
		"OneIsNot":   {[]platformv1alpha1.AvailableUpdate{blocked, permitted}, false},
	} {
		operator := &platformv1alpha1.PlatformOperator{Status: platformv1alpha1.PlatformOperatorStatus{AvailableUpdates: test.updates}}
		if got := NewReport(operator, remedy.Tools{}).IsBlocked(); got != test.want {
			t.Errorf("%s: got %t, want %t", name, got, test.want)
		}
	}
}

func TestCLI_7_APathThatTheStatusCuts(t *testing.T) {
	for _, test := range []struct {
		length             int
		last, steps, shown string
	}{
		{1, "9.0.0", "1", "9.0.0"},
		{4, "9.0.0", "4", "1.0.0 -> 1.1.0 -> 1.2.0 -> 9.0.0"},
		{6, "9.0.0", "6", "1.0.0 -> 1.1.0 -> (2 more) -> 1.4.0 -> 9.0.0"},
		{platformv1alpha1.MaxPath, "9.0.0", "32", "1.0.0 -> 1.1.0 -> (28 more) -> 1.30.0 -> 9.0.0"},
		{platformv1alpha1.MaxPath, "1.31.0", ">32", "1.0.0 -> 1.1.0 -> (30 more) -> ... -> 9.0.0"},
	} {
		update := platformv1alpha1.AvailableUpdate{Version: "9.0.0"}
		for i := range test.length - 1 {
			update.Path = append(update.Path, fmt.Sprintf("1.%d.0", i))
		}
		update.Path = append(update.Path, test.last)
		got := Update{Version: update.Version, Path: update.Path, PathIsCut: isCut(update)}
		if got.steps() != test.steps || got.shownPath(false) != test.shown {
			t.Errorf("%d versions up to %s: got %s steps and %q, want %s and %q", test.length, test.last, got.steps(), got.shownPath(false),
				test.steps, test.shown)
		}
	}
}

// TestCLI_7_TheCommandForAnOperatorNamedUpgradeExplainsTheOperator checks that the command is not the one about the cluster upgrade.
func TestCLI_7_TheCommandForAnOperatorNamedUpgradeExplainsTheOperator(t *testing.T) {
	for operator, want := range map[string]string{
		"quay": "oc platform explain quay", "upgrade": "oc platform explain platformoperator/upgrade",
	} {
		if got := (Report{Operator: operator}).sentences("oc platform")[0]; !strings.HasSuffix(got, ": "+want) {
			t.Errorf("%s: got %q, want %q at the end", operator, got, want)
		}
	}
}
