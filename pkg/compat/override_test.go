package compat

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var (
	noon     = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	tomorrow = noon.Add(24 * time.Hour)
)

func TestJudgeOverrides(t *testing.T) {
	const ignored = `The compatibility override for OpenShift `
	for name, test := range map[string]struct {
		overrides []Override
		effective string
		ignored   []string
	}{
		"there is none":                   {},
		"it counts":                       {[]Override{{"4.22", "ticket 7, Ada", tomorrow}}, "4.22", nil},
		"it counts until the very second": {[]Override{{"4.22", "Ada", noon.Add(time.Second)}}, "4.22", nil},
		"it has expired this very second": {[]Override{{"4.22", "Ada", noon}}, "", []string{
			ignored + `"4.22" is ignored: it expired at 2026-03-01T12:00:00Z; remove it, or set its expires to a later time.`}},
		"it has no reason": {[]Override{{"4.22", " \n", tomorrow}}, "", []string{
			ignored + `"4.22" is ignored: set its reason to who acknowledges the risk and why.`}},
		"it has neither a reason nor an end": {[]Override{{"4.22", "", time.Time{}}}, "", []string{
			ignored + `"4.22" is ignored: set its reason to who acknowledges the risk and why, and its expires to the time when it ends.`}},
		"it does not expire": {[]Override{{"4.22", "Ada", time.Time{}}}, "", []string{
			ignored + `"4.22" is ignored: set its expires to the time when it ends.`}},
		"it is for the minor version after the next, and one for the cluster's own": {[]Override{{"4.23", "Ada", tomorrow}, {"4.21", "Ada", tomorrow}}, "", []string{
			ignored + `"4.21" is ignored: the cluster's next minor version is 4.22; remove it, or correct its openShiftVersion.`,
			ignored + `"4.23" is ignored: the cluster's next minor version is 4.22; remove it, or correct its openShiftVersion.`}},
		"it is for no version": {[]Override{{"any\nof them all there are", "Ada", tomorrow}}, "", []string{
			ignored + `"any of them a…" is ignored: that is not a minor version such as "4.22".`}},
		"one of three counts": {[]Override{{"4.21", "Ada", tomorrow}, {"4.22", "Ada", tomorrow}, {"4.23", "", tomorrow}}, "4.22", []string{
			ignored + `"4.21" is ignored: the cluster's next minor version is 4.22; remove it, or correct its openShiftVersion.`,
			ignored + `"4.23" is ignored: the cluster's next minor version is 4.22; remove it, or correct its openShiftVersion.`}},
	} {
		t.Run(name, func(t *testing.T) {
			effective, why := JudgeOverrides(Minor{4, 22}, test.overrides, noon)
			got := ""
			if effective != nil {
				got = effective.Version
			}
			if got != test.effective {
				t.Errorf("%q counts, want %q", got, test.effective)
			}
			if diff := cmp.Diff(test.ignored, Sentences(why)); diff != "" {
				t.Errorf("ignored (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("of one for 4.23 and one for 5.0, which are one, that which lasts longer counts", func(t *testing.T) {
		both := []Override{{"4.23", "Ada", tomorrow}, {"5.0", "Bob", tomorrow.Add(time.Hour)}}
		for range 2 {
			if effective, why := JudgeOverrides(Minor{4, 22}.Next(), both, noon); effective == nil || effective.Reason != "Bob" || why != nil {
				t.Errorf("%+v, %q", effective, why)
			}
			both[0], both[1] = both[1], both[0]
		}
	})
}

func TestAcknowledgedOperatorDoesNotBlockAndIsNamed(t *testing.T) {
	acknowledged := func(operator Operator) Operator {
		operator.Acknowledged = &Override{"4.21", "Ada takes it", tomorrow}
		return operator
	}
	other := bundle("1.0.0", "none")
	other.Name = "alpha"
	for name, test := range map[string]struct {
		operators   []Operator
		upgradeable bool
		want        string
	}{
		"its maximum is too low": {[]Operator{acknowledged(bundle("3.14.0", "4.20")), other}, true,
			"platform-operators: 1 PlatformOperator permits OpenShift 4.21; it declares no olm.maxOpenShiftVersion; the limit of 1 PlatformOperator is overridden:\n" +
				"- quay 3.14.0 allows at most 4.20: overridden until 2026-03-02T12:00:00Z: Ada takes it.\n" +
				"After that, 1 PlatformOperator will block OpenShift 4.22:\n" +
				"- quay 3.14.0 allows at most 4.20: no version in the catalogs allows 4.22."},
		"its maximum cannot be read": {[]Operator{acknowledged(bundle("3.14.0", "garbage"))}, true,
			"platform-operators: OpenShift 4.21 is permitted because the limit of 1 PlatformOperator is overridden:\n" +
				`- quay 3.14.0 olm.maxOpenShiftVersion "garbage" cannot be read, a minor version such as "4.20" is expected: overridden until 2026-03-02T12:00:00Z: Ada takes it.` + "\n" +
				"After that, 1 PlatformOperator will block OpenShift 4.22:\n" +
				`- quay 3.14.0 olm.maxOpenShiftVersion "garbage" cannot be read, a minor version such as "4.20" is expected: no version in the catalogs allows 4.22.`},
		"it permits the next one by itself": {[]Operator{acknowledged(bundle("3.14.0", "4.22"))}, true, "platform-operators: 1 PlatformOperator permits OpenShift 4.21."},
		"another one blocks": {[]Operator{acknowledged(bundle("3.14.0", "4.20")), {Name: "zeta", Version: "1.0.0", Max: raw("4.20")}}, false,
			"platform-operators: 1 PlatformOperator blocks OpenShift 4.21:\n" +
				"- zeta 1.0.0 allows at most 4.20: no version in the catalogs allows 4.21.\n" +
				"Where no version allows it, acknowledge the risk for a limited time in spec.compatibilityOverrides.\n" +
				"Overridden:\n" +
				"- quay 3.14.0 allows at most 4.20: overridden until 2026-03-02T12:00:00Z: Ada takes it.\n" +
				"Next step for zeta: oc patch platformoperator zeta --type=merge -p " +
				`'{"spec":{"compatibilityOverrides":[{"expires":"2026-04-01T00:00:00Z","openShiftVersion":"4.21","reason":"WHO ACKNOWLEDGES THE RISK, AND WHY"}]}}'`},
	} {
		t.Run(name, func(t *testing.T) {
			verdict, err := Evaluate("4.20.0", test.operators, noon)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, verdict.Message); diff != "" || verdict.Upgradeable != test.upgradeable {
				t.Errorf("upgradeable is %t (-want +got):\n%s", verdict.Upgradeable, diff)
			}
		})
	}
}

func TestNextExpiry(t *testing.T) {
	overrides := []Override{{Expires: noon.Add(-time.Second)}, {}, {Expires: tomorrow}, {Expires: noon.Add(time.Minute)}}
	if wait, due := NextExpiry(overrides, noon); !due || wait != time.Minute {
		t.Errorf("in %s, %t", wait, due)
	}
	if wait, due := NextExpiry(overrides, tomorrow); due {
		t.Errorf("after the last one: in %s", wait)
	}
}
