package scenarios

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/test/samples"
)

// nextStep waits for a command that changes an operator in the last line of the gate's message on the ClusterOperator, and returns it. Until
// the gate knows that the installed version is ready, the line only says how to look at the operator.
func (s *Story) nextStep(ctx context.Context, name string) (command string) {
	s.Helper()
	s.Eventually(func(ctx context.Context) (string, error) {
		condition, err := s.Admin.ClusterOperatorHas(ctx, configv1.OperatorUpgradeable, configv1.ConditionFalse)
		if err != nil {
			return "", err
		}
		lines := strings.Split(condition.Message, "\n")
		_, command, _ = strings.Cut(lines[len(lines)-1], "Next step for "+name+": ")
		return command, nil
	}).WithContext(ctx).Should(HavePrefix("oc patch "))
	return command
}

// Promise HRD-T1: The command in the last line of the gate's message, pasted as it is, unblocks the upgrade.
func TestHRD_T1_CommandOfTheGateUnblocksTheUpgrade(t *testing.T) {
	t.Parallel()
	expired := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Format(time.RFC3339)
	for _, each := range []struct {
		title, pkg string
		versions   []string // a version with its maximum
		channel    string   // of the last version, if it is not in "stable"
		spec, line string
	}{
		{"an approval", "abacus", []string{"1.0.0 4.21", "1.1.0 4.22"}, "", `"upgrades": {"approval": "Manual"}, "package": {"version": "1.0.0"}`, ""},
		{"a wider range", "bellows", []string{"1.0.0 4.21", "1.1.0 4.22", "2.0.0 4.22"}, "", `"package": {"version": "1.0.x"}`, `it is outside spec.package.version "1.0.x"`},
		{"another channel", "caliper", []string{"1.0.0 4.21", "1.1.0 4.22"}, "fast", `"package": {"channels": ["stable"]}`, "fast"},
		{"the default channel and another one", "dynamo", []string{"1.0.0 4.21", "1.1.0 4.22"}, "fast", "", "fast"},
		{"the end of a pause", "easel", []string{"1.0.0 4.21", "1.1.0 4.22"}, "", `"package": {"version": "1.0.0"}`, ""},
		{"an override", "fulcrum", []string{"1.0.0 4.21"}, "", "", "no version in the catalogs allows 4.22"},
		{"one more override", "gimlet", []string{"1.0.0 4.21"}, "", fmt.Sprintf(`"compatibilityOverrides": [{"openShiftVersion": "4.19", "reason": "Ada", "expires": %q}]`, expired), `"4.19" is ignored: the cluster's next minor version is 4.22`},
	} {
		runStory(t, "HRD-T1 the gate's command applies the remedy: "+each.title, defaultOperators, func(ctx context.Context, s *Story) {
			var operators []samples.Operator
			for i, text := range each.versions {
				version, most, _ := strings.Cut(text, " ")
				operator := samples.Operator{Package: each.pkg, Version: version, MaxOpenShiftVersion: fmt.Sprintf("%q", most)}
				if i == len(each.versions)-1 && each.channel != "" {
					operator.Channels, operator.Replaces = []string{each.channel}, strings.Fields(each.versions[0])[0]
				}
				operators = append(operators, operator)
			}
			s.publishOperators(ctx, operators...)
			s.createWithSpec(ctx, each.pkg, each.spec)
			s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(each.pkg, "1.0.0").Should(Succeed())
			switch each.title {
			case "an approval":
				s.patchOperatorSpec(ctx, each.pkg, `"package": {"version": null}`)
				s.waitForGateOf(ctx, each.pkg, `set spec.upgrades.approvedVersion to "1.1.0" (allows 4.22).`)
			case "the end of a pause":
				s.patchOperatorSpec(ctx, each.pkg, `"paused": true, "package": {"version": null}`)
				s.waitForGateOf(ctx, each.pkg, "update to >=1.1.0 (allows 4.22); spec.paused is set.")
			default:
				s.waitForGateOf(ctx, each.pkg, each.line)
			}
			s.runCommand(ctx, s.nextStep(ctx, each.pkg))
			s.waitForGateOf(ctx, each.pkg)
		})
	}
}

// Promise HRD-T3: The gate's message names both the reason and the end that an override lacks, and its command completes the override.
func TestHRD_T3_IncompleteOverrideIsCompleted(t *testing.T) {
	t.Parallel()
	for _, each := range []struct{ title, pkg, override, line string }{
		{"without a reason and an end", "hoist", "", "set its reason to who acknowledges the risk and why, and its expires to the time when it ends"},
		{"without a reason", "inkwell", `, "expires": "2030-01-01T00:00:00Z"`, "set its reason to who acknowledges the risk and why."},
		{"that has expired", "jigsaw", `, "reason": "Ada", "expires": "1999-01-01T00:00:00Z"`, "it expired at 1999-01-01T00:00:00Z"},
	} {
		runStory(t, "HRD-T3 the gate's command completes an override "+each.title, defaultOperators, func(ctx context.Context, s *Story) {
			s.offerUpTo(ctx, each.pkg, "1.0.0 4.21")
			s.createWithSpec(ctx, each.pkg, fmt.Sprintf(`"compatibilityOverrides": [{"openShiftVersion": "4.22"%s}]`, each.override))
			s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(each.pkg, "1.0.0").Should(Succeed())
			s.waitForGateOf(ctx, each.pkg, each.line)
			s.runCommand(ctx, s.nextStep(ctx, each.pkg))
			s.waitForGateOf(ctx, each.pkg)
		})
	}
}
