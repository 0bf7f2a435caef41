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
	// Reason is the administrator's text, which should name the person who acknowledges the risk and say why.
	Reason string
	// Expires is the time at which the override ends; zero means that none is set.
	Expires time.Time
}

// IgnoredOverride is an override that does not apply.
type IgnoredOverride struct {
	Override
	// Index is the position of the override in the list of overrides.
	Index int
	// IsForNext reports whether the override is for the cluster's next minor version, so that it would apply if it were completed.
	IsForNext bool
	// why is a clause that gives the reason why the override does not apply, with a remedy.
	why string
}

// String returns a clause with the version of the override and the reason why it is ignored, with a remedy.
func (i IgnoredOverride) String() string {
	return fmt.Sprintf("the compatibility override for OpenShift %q is ignored: %s", cut(i.Version, maxOverridden), i.why)
}

// Sentences returns a sentence for each ignored override, sorted.
func Sentences(ignored []IgnoredOverride) (sentences []string) {
	for _, each := range ignored {
		sentences = append(sentences, withFullStop("T"+strings.TrimPrefix(each.String(), "t")))
	}
	slices.Sort(sentences)
	return sentences
}

// JudgeOverrides returns the override that applies to a minor version at the time now; nil if there is none. If several apply, for example
// for 4.23 and for 5.0, it returns the one with the latest expiry. ignored holds the overrides that do not apply, in the order of the list.
func JudgeOverrides(next Minor, overrides []Override, now time.Time) (effective *Override, ignored []IgnoredOverride) {
	for i, each := range overrides {
		if why := each.fault(next, now); why != "" {
			version, readable := parseMinor(strings.TrimSpace(each.Version))
			ignored = append(ignored, IgnoredOverride{Override: each, Index: i, IsForNext: readable && version.Compare(next) == 0, why: why})
			continue
		}
		if effective == nil || cmp.Or(each.Expires.Compare(effective.Expires), cmp.Compare(effective.Version, each.Version)) > 0 {
			effective = &each
		}
	}
	return effective, ignored
}

// fault returns the reason why an override does not apply at the time now, with a remedy; empty if it applies.
func (o Override) fault(next Minor, now time.Time) string {
	version, readable := parseMinor(strings.TrimSpace(o.Version))
	switch {
	case !readable:
		return `that is not a minor version such as "4.22"`
	case version.Compare(next) != 0:
		return fmt.Sprintf("the cluster's next minor version is %s; remove it, or correct its openShiftVersion", next.Names())
	case !o.hasReason() && o.Expires.IsZero():
		return "set its reason to who acknowledges the risk and why, and its expires to the time when it ends"
	case !o.hasReason():
		return "set its reason to who acknowledges the risk and why"
	case o.Expires.IsZero():
		return "set its expires to the time when it ends"
	case !now.Before(o.Expires):
		return fmt.Sprintf("it expired at %s; remove it, or set its expires to a later time", formatTime(o.Expires))
	}
	return ""
}

func (o Override) hasReason() bool { return strings.TrimSpace(o.Reason) != "" }

// describe returns a clause with the expiry and the reason of the override, for a message.
func (o Override) describe() string {
	return fmt.Sprintf("overridden until %s: %s", formatTime(o.Expires), cut(o.Reason, maxWhy))
}

func formatTime(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// NextExpiry returns the time until the next override expires. due is false if there are no overrides or all of them have expired.
func NextExpiry(overrides []Override, now time.Time) (wait time.Duration, due bool) {
	for _, each := range overrides {
		if left := each.Expires.Sub(now); left > 0 && (!due || left < wait) {
			wait, due = left, true
		}
	}
	return wait, due
}
