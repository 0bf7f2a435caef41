package remedy

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
)

var tools = Tools{Client: "oc", Plugin: "oc platform"}

func operator() *platformv1alpha1.PlatformOperator {
	o := &platformv1alpha1.PlatformOperator{}
	o.Name = "quay"
	o.Spec.Package = platformv1alpha1.Package{Name: "project-quay", Version: "~1.0"}
	o.Status.Installed = &platformv1alpha1.InstalledBundle{Version: "1.0.3", Channel: "stable"}
	return o
}

// TestCLI_7_EveryBlockedReasonHasARemedy walks the constants of the API.
func TestCLI_7_EveryBlockedReasonHasARemedy(t *testing.T) {
	reasons := blockedReasons(t)
	if len(reasons) < 15 {
		t.Fatalf("found only %d reasons in the API", len(reasons))
	}
	for _, reason := range reasons {
		update := platformv1alpha1.AvailableUpdate{Version: "1.2.0", Channels: []string{"fast"}, BlockedReason: reason}
		for _, o := range []*platformv1alpha1.PlatformOperator{operator(), {}} {
			got := ForUpdate(tools, o, update)
			if _, isKnown := updateRemedies[reason]; !isKnown || got.Command == "" || !strings.HasSuffix(got.Text, ".") {
				t.Errorf("%s: got %+v, want a sentence and a command", reason, got)
			}
			if !strings.HasPrefix(got.Command, "oc ") {
				t.Errorf("%s: the command %q is not one of the client that the user calls", reason, got.Command)
			}
		}
	}
}

func blockedReasons(t *testing.T) (reasons []platformv1alpha1.BlockedReason) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../apis/platform/v1alpha1/upgrades.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(node ast.Node) bool {
		constant, ok := node.(*ast.ValueSpec)
		if ok && strings.HasPrefix(constant.Names[0].Name, "Blocked") && len(constant.Values) == 1 {
			value, err := strconv.Unquote(constant.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			reasons = append(reasons, platformv1alpha1.BlockedReason(value))
		}
		return true
	})
	return reasons
}

func TestCLI_7_CommandsOfRemedies(t *testing.T) {
	const merge = "oc patch platformoperator quay --type=merge -p "
	for reason, want := range map[platformv1alpha1.BlockedReason]string{
		platformv1alpha1.BlockedAwaitingApproval:     merge + `'{"spec":{"upgrades":{"approvedVersion":"1.2.0"}}}'`,
		platformv1alpha1.BlockedAwaitingPlanApproval: "oc platform approve quay",
		platformv1alpha1.BlockedPaused:               merge + `'{"spec":{"paused":false}}'`,
		platformv1alpha1.BlockedRange:                merge + `'{"spec":{"package":{"version":"~1.0 || >=1.0.3 <=1.2.0"}}}'`,
		platformv1alpha1.BlockedPrerelease:           merge + `'{"spec":{"package":{"version":"1.2.0"}}}'`,
		platformv1alpha1.BlockedChannel:              merge + `'{"spec":{"package":{"channels":["stable","fast"]}}}'`,
		platformv1alpha1.BlockedNotAllowed: "oc patch platformoperatormanager cluster --type=json -p " +
			`'[{"op":"add","path":"/spec/allowedPackages/-","value":"project-quay"}]'`,
	} {
		update := platformv1alpha1.AvailableUpdate{Version: "1.2.0", Channels: []string{"fast"}, BlockedReason: reason}
		if got := ForUpdate(tools, operator(), update); got.Command != want {
			t.Errorf("%s: got\n%s\nwant\n%s", reason, got.Command, want)
		}
	}
	if got := ForUpdate(tools, operator(), platformv1alpha1.AvailableUpdate{Version: "1.2.0"}); got != nil {
		t.Errorf("got %+v for an update that nothing blocks, want nil", got)
	}
}

func TestCLI_7_AQuoteInARangeDoesNotEndTheShellWord(t *testing.T) {
	got := tools.PatchOperator("quay", map[string]any{"x": "it's"})
	_, patch, _ := strings.Cut(got, " -p '")
	patch = strings.ReplaceAll(strings.TrimSuffix(patch, "'"), `'\''`, "'")
	if !json.Valid([]byte(patch)) || !strings.Contains(patch, "it's") {
		t.Errorf("got %s", got)
	}
}

// TestCLI_7_TheRemedyOfAFailedVersionNamesWhatIsTriedAgain checks that the remedy does not exclude a version that only lacked something of
// the cluster, which status.revisions[].failedFor of the BundleDeployment records.
func TestCLI_7_TheRemedyOfAFailedVersionNamesWhatIsTriedAgain(t *testing.T) {
	text := updateRemedies[platformv1alpha1.BlockedFailed].text
	for _, part := range []string{"its bundle", "progressDeadlineSeconds", platformv1alpha1.AnnotationRetry, "missing kinds or permissions"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q does not name %q", text, part)
		}
	}
}

// TestCLI_8_AnIgnoredOverrideIsCompleted checks the command that acknowledges the risk of an operator again. The list has openShiftVersion
// as its key, so the API server refuses a second entry for a version.
func TestCLI_8_AnIgnoredOverrideIsCompleted(t *testing.T) {
	o, now := operator(), time.Date(2026, 11, 28, 6, 0, 0, 0, time.UTC)
	next, err := compat.ParseClusterVersion("4.22.0")
	if err != nil {
		t.Fatal(err)
	}
	o.Spec.CompatibilityOverrides = []corev1alpha2.CompatibilityOverride{
		{OpenShiftVersion: "4.21", Reason: "tested"}, {OpenShiftVersion: "4.22", Reason: "tested", Expires: &metav1.Time{Time: now.AddDate(0, 0, -1)}},
	}
	want := `oc patch platformoperator quay --type=json -p '[` +
		`{"op":"test","path":"/spec/compatibilityOverrides/1/openShiftVersion","value":"4.22"},` +
		`{"op":"add","path":"/spec/compatibilityOverrides/1/expires","value":"2027-01-01T00:00:00Z"}]'`
	if got := tools.Override(o, next, now); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
