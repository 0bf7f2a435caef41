package compat

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Override is an administrator's word that the cluster may go to one minor version although an operator does not permit it.
type Override struct {
	// Version is the minor version, for example "4.22".
	Version string
	// Reason says who takes the risk, and why.
	Reason string
	// Expires is when it ends; zero when nobody said.
	Expires time.Time
}

// JudgeOverrides says which of an operator's overrides counts for a minor version at this time, nil when none does, and of each
// that cannot count why, as a sentence, sorted. Of several that count, such as for 4.23 and for 5.0, it is the one that lasts longest.
func JudgeOverrides(next Minor, overrides []Override, now time.Time) (effective *Override, ignored []string) {
	for _, each := range overrides {
		if why := each.fault(next, now); why != "" {
			ignored = append(ignored, fmt.Sprintf("the compatibility override for OpenShift %q is ignored: %s", cut(each.Version, maxOverridden), why))
			continue
		}
		if effective == nil || cmp.Or(each.Expires.Compare(effective.Expires), cmp.Compare(effective.Version, each.Version)) > 0 {
			effective = &each
		}
	}
	slices.Sort(ignored)
	return effective, ignored
}

// fault says why an override does not count, and what would do; empty when it does.
func (o Override) fault(next Minor, now time.Time) string {
	version, readable := parseMinor(strings.TrimSpace(o.Version))
	switch {
	case !readable:
		return `that is not a minor version such as "4.22"`
	case strings.TrimSpace(o.Reason) == "":
		return "it has no reason; say in its reason who takes the risk, and why"
	case o.Expires.IsZero():
		return "it does not expire; say in its expires until when it holds"
	case !now.Before(o.Expires):
		return fmt.Sprintf("it expired at %s; remove it, or acknowledge the risk anew with a later time", stamp(o.Expires))
	case version.Compare(next) != 0:
		return fmt.Sprintf("the cluster's next minor version is %s; remove it, or correct its openShiftVersion", next.Names())
	}
	return ""
}

// words say until when the risk is taken, and who says so.
func (o Override) words() string {
	return fmt.Sprintf("risk acknowledged until %s: %s", stamp(o.Expires), cut(o.Reason, maxWhy))
}

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// NextExpiry is how long it is until the next of these overrides expires; false where none does any more.
func NextExpiry(overrides []Override, now time.Time) (wait time.Duration, due bool) {
	for _, each := range overrides {
		if left := each.Expires.Sub(now); left > 0 && (!due || left < wait) {
			wait, due = left, true
		}
	}
	return wait, due
}
