package compat_test

import (
	"testing"
	"time"

	"github.com/openshift/platform-operators/pkg/compat"
)

// TestOverrideCommandCompletesAnIgnoredOverride checks the patch for each list of overrides that does not permit the next version.
func TestOverrideCommandCompletesAnIgnoredOverride(t *testing.T) {
	now := time.Date(2026, 2, 20, 8, 0, 0, 0, time.UTC)
	next, err := compat.ParseClusterVersion("4.21.0")
	if err != nil {
		t.Fatal(err)
	}
	const (
		value   = `{"expires":"2026-04-01T00:00:00Z","openShiftVersion":"4.21","reason":"WHO ACKNOWLEDGES THE RISK, AND WHY"}`
		list    = "/spec/compatibilityOverrides/"
		reason  = `{"op":"add","path":"` + list + `0/reason","value":"WHO ACKNOWLEDGES THE RISK, AND WHY"}`
		expires = `{"op":"add","path":"` + list + `0/expires","value":"2026-04-01T00:00:00Z"}`
		version = `{"op":"test","path":"` + list + `0/openShiftVersion","value":"4.21"},`
	)
	for name, test := range map[string]struct {
		existing []compat.Override
		want     string
	}{
		"none":            {nil, `merge -p '{"spec":{"compatibilityOverrides":[` + value + `]}}'`},
		"another version": {[]compat.Override{{Version: "4.20", Reason: "a", Expires: now.AddDate(1, 0, 0)}}, `json -p '[{"op":"add","path":"` + list + `-","value":` + value + `}]'`},
		"expired":         {[]compat.Override{{Version: "4.21", Reason: "a", Expires: now}}, `json -p '[` + version + expires + `]'`},
		"no reason":       {[]compat.Override{{Version: "4.21", Expires: now.AddDate(1, 0, 0)}}, `json -p '[` + version + reason + `]'`},
		"only a version":  {[]compat.Override{{Version: "4.21"}}, `json -p '[` + version + reason + `,` + expires + `]'`},
	} {
		_, ignored := compat.JudgeOverrides(next, test.existing, now)
		operator := compat.Operator{Name: "quay", Overrides: len(test.existing), Ignored: ignored}
		want := "kubectl patch platformoperator quay --type=" + test.want
		if got := compat.OverrideCommand("kubectl", operator, next, now); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}
