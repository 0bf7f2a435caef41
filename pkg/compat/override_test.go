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
	const ignored = `the compatibility override for OpenShift `
	for name, test := range map[string]struct {
		overrides []Override
		effective string
		ignored   []string
	}{
		"there is none":                   {},
		"it counts":                       {[]Override{{"4.22", "ticket 7, Ada", tomorrow}}, "4.22", nil},
		"it counts until the very second": {[]Override{{"4.22", "Ada", noon.Add(time.Second)}}, "4.22", nil},
		"it has expired this very second": {[]Override{{"4.22", "Ada", noon}}, "", []string{
			ignored + `"4.22" is ignored: it expired at 2026-03-01T12:00:00Z; remove it, or acknowledge the risk anew with a later time`}},
		"it has no reason": {[]Override{{"4.22", " \n", tomorrow}}, "", []string{
			ignored + `"4.22" is ignored: it has no reason; say in its reason who takes the risk, and why`}},
		"it does not expire": {[]Override{{"4.22", "Ada", time.Time{}}}, "", []string{
			ignored + `"4.22" is ignored: it does not expire; say in its expires until when it holds`}},
		"it is for the minor version after the next, and one for the cluster's own": {[]Override{{"4.23", "Ada", tomorrow}, {"4.21", "Ada", tomorrow}}, "", []string{
			ignored + `"4.21" is ignored: the cluster's next minor version is 4.22; remove it, or correct its openShiftVersion`,
			ignored + `"4.23" is ignored: the cluster's next minor version is 4.22; remove it, or correct its openShiftVersion`}},
		"it is for no version": {[]Override{{"any\nof them all there are", "Ada", tomorrow}}, "", []string{
			ignored + `"any of them a…" is ignored: that is not a minor version such as "4.22"`}},
		"one of three counts": {[]Override{{"4.21", "Ada", tomorrow}, {"4.22", "Ada", tomorrow}, {"4.23", "", tomorrow}}, "4.22", []string{
			ignored + `"4.21" is ignored: the cluster's next minor version is 4.22; remove it, or correct its openShiftVersion`,
			ignored + `"4.23" is ignored: it has no reason; say in its reason who takes the risk, and why`}},
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
			if diff := cmp.Diff(test.ignored, why); diff != "" {
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
			"Cluster upgrades to 4.21 are permitted by 1 platform operator, of which 1 declares no olm.maxOpenShiftVersion, and at an acknowledged risk in spite of 1 platform operator:\n" +
				"- quay 3.14.0 allows at most 4.20: risk acknowledged until 2026-03-02T12:00:00Z: Ada takes it\n" +
				"After that, upgrades to 4.22 will be blocked by 1 platform operator:\n" +
				"- quay 3.14.0 allows at most 4.20: no version that allows 4.22 exists in the catalogs"},
		"its maximum cannot be read": {[]Operator{acknowledged(bundle("3.14.0", "garbage"))}, true,
			"Cluster upgrades to 4.21 are permitted at an acknowledged risk in spite of 1 platform operator:\n" +
				`- quay 3.14.0 olm.maxOpenShiftVersion "garbage" cannot be read, a minor version such as "4.20" is expected: risk acknowledged until 2026-03-02T12:00:00Z: Ada takes it` + "\n" +
				"After that, upgrades to 4.22 will be blocked by 1 platform operator:\n" +
				`- quay 3.14.0 olm.maxOpenShiftVersion "garbage" cannot be read, a minor version such as "4.20" is expected: no version that allows 4.22 exists in the catalogs`},
		"it permits the next one by itself": {[]Operator{acknowledged(bundle("3.14.0", "4.22"))}, true, "Cluster upgrades to 4.21 are permitted by 1 platform operator"},
		"another one blocks": {[]Operator{acknowledged(bundle("3.14.0", "4.20")), {Name: "zeta", Version: "1.0.0", Max: raw("4.20")}}, false,
			"Cluster upgrades to 4.21 are blocked by 1 platform operator:\n" +
				"- zeta 1.0.0 allows at most 4.20: no version that allows 4.21 exists in the catalogs\n" +
				"Where no version allows it, spec.compatibilityOverrides of the PlatformOperator takes the risk for a time\n" +
				"At an acknowledged risk not blocked by:\n" +
				"- quay 3.14.0 allows at most 4.20: risk acknowledged until 2026-03-02T12:00:00Z: Ada takes it"},
	} {
		t.Run(name, func(t *testing.T) {
			verdict, err := Evaluate("4.20.0", test.operators)
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
