package compat

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Override is an administrator's decision that the cluster may be upgraded to one minor version although an operator does not permit it.
type Override struct {
	// Version is the minor version, for example "4.22".
	Version string
	// Reason is the administrator's text, which should name the person who accepts the risk, and the cause.
	Reason string
	// Expires is the time at which the override ends; zero means that none is set.
	Expires time.Time
}

// JudgeOverrides returns the override that applies to a minor version at the time now; nil if there is none. If several apply, such as for
// 4.23 and for 5.0, it returns the one with the latest expiry. ignored has a sentence with the reason for each override that does not
// apply, sorted.
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

// fault returns the reason why an override does not apply at the time now, with a remedy; empty if it applies.
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
		return fmt.Sprintf("it expired at %s; remove it, or acknowledge the risk anew with a later time", formatTime(o.Expires))
	case version.Compare(next) != 0:
		return fmt.Sprintf("the cluster's next minor version is %s; remove it, or correct its openShiftVersion", next.Names())
	}
	return ""
}

// describe returns a clause with the end of the override and its reason, for a message.
func (o Override) describe() string {
	return fmt.Sprintf("risk acknowledged until %s: %s", formatTime(o.Expires), cut(o.Reason, maxWhy))
}

func formatTime(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// NextExpiry returns the time until the next override expires. due is false if all have expired or there are none.
func NextExpiry(overrides []Override, now time.Time) (wait time.Duration, due bool) {
	for _, each := range overrides {
		if left := each.Expires.Sub(now); left > 0 && (!due || left < wait) {
			wait, due = left, true
		}
	}
	return wait, due
}
