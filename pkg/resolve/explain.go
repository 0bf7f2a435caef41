package resolve

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

const (
	// MaxMessage bounds a decision's message, in bytes.
	MaxMessage = 1500

	maxQuoted = 64
	maxCause  = 200
	maxWhy    = 500
	maxUnread = 400 // what ails a connection is said last, after addresses and requests
	maxRange  = 256
	maxListed = 8
	maxAway   = 10 // leaves room for other warnings beside them
)

// chose says what was chosen and where, and by which versions the way leads.
func chose(req Request, c Candidate, path []Hop) string {
	text := fmt.Sprintf("version %s of package %q was chosen from channel %s of %s", clip(c.Version.String(), maxQuoted), req.Package, quote(c.Channel), c.Catalog)
	if len(path) < 2 {
		return text
	}
	var hops []string
	for _, hop := range path[:len(path)-1] {
		hops = append(hops, clip(hop.Version.String(), maxQuoted))
	}
	return text + ", by way of " + list(hops, ", ", maxListed)
}

// explain says why no candidate fits: because the channel or a version in the range does not exist, or because all
// that exist are refused.
func explain(req Request, found finding, refusals []Refusal) (reason, message string) {
	if message := missingChannels(req, found.holders); message != "" {
		return platformv1alpha1.ReasonSourceFailed, joinSentences(message, faults(found.holders))
	}
	asked := slices.DeleteFunc(slices.Clone(refusals), func(r Refusal) bool {
		return r.Rule == RuleChannel || r.Rule == RuleRange
	})
	if len(asked) == 0 {
		return platformv1alpha1.ReasonSourceFailed, joinSentences(missingVersion(req, found.holders, refusals), faults(found.holders))
	}
	message = fmt.Sprintf("all candidates of package %q in %s are refused: %s", req.Package, names(found.holders), byRule(asked))
	return platformv1alpha1.ReasonValidationFailed, joinSentences(message, faults(found.holders))
}

// missingChannels says that none of the wanted channels exists, and which ones do; empty when one does.
func missingChannels(req Request, holders []Catalog) string {
	var parts []string
	for _, holder := range holders {
		for _, wanted := range wantedChannels(req, holder.Package) {
			if _, ok := holder.Package.Channel(wanted); ok {
				return ""
			}
		}
		var existing []string
		for _, c := range holder.Package.Channels {
			name := quote(c.Name)
			if c.Name == holder.Package.DefaultChannel {
				name += " (default)"
			}
			existing = append(existing, name)
		}
		if len(existing) == 0 {
			existing = []string{"none at all"}
		}
		parts = append(parts, fmt.Sprintf("the channels in %s are %s", holder.ID, list(existing, ", ", maxListed)))
	}
	where := list(parts, "; ", 3)
	if len(req.Channels) == 0 {
		return fmt.Sprintf("package %q has no default channel to choose from: set spec.package.channels; %s", req.Package, where)
	}
	return fmt.Sprintf("package %q has no channel %s: correct spec.package.channels; %s", req.Package, quoted(req.Channels), where)
}

// missingVersion says that the channels have no version in the range, and which are nearest to it.
func missingVersion(req Request, holders []Catalog, refusals []Refusal) string {
	if req.VersionRange == "" {
		return fmt.Sprintf("package %q has no bundle in the channels to choose from in %s: set spec.package.channels to a channel that has one", req.Package, names(holders))
	}
	var versions []*semver.Version
	for _, r := range refusals {
		if r.Rule == RuleRange {
			versions = append(versions, r.Version.Semver())
		}
	}
	message := fmt.Sprintf("package %q has no version in spec.package.version %s in the channels to choose from in %s", req.Package, quote(req.VersionRange), names(holders))
	if near := nearest(req.VersionRange, versions); len(near) > 0 {
		message += "; the nearest are " + strings.Join(near, " and ")
	}
	if _, loose, err := parseRange(req.VersionRange); err == nil {
		for _, r := range refusals {
			if r.Rule == RuleChannel && !r.Version.IsZero() && loose.Check(r.Version.Semver()) {
				return message + fmt.Sprintf("; %s %s", clip(r.Version.String(), maxQuoted), r.Why)
			}
		}
	}
	return message
}

// mentioned finds the first version that a range mentions.
var mentioned = regexp.MustCompile(`[0-9]+(\.[0-9]+){0,2}(-[0-9A-Za-z.-]+)?`)

// nearest are the versions just below and just above the first one that the range mentions; versions is newest first.
func nearest(text string, versions []*semver.Version) []string {
	target, err := semver.NewVersion(mentioned.FindString(text))
	if err != nil {
		return nil
	}
	var below, above *semver.Version
	for _, v := range versions {
		if v.LessThan(target) {
			below = v
			break
		}
		above = v
	}
	var near []string
	for _, v := range []*semver.Version{below, above} {
		if v != nil {
			near = append(near, clip(v.String(), maxQuoted))
		}
	}
	return near
}

// byRule gives, for each rule that refused something, its newest victim and how many more there are; what is in the way
// of the newest version comes first.
func byRule(refusals []Refusal) string {
	victims := map[string][]Refusal{}
	var order []string
	for _, r := range refusals {
		if victims[r.Rule] == nil {
			order = append(order, r.Rule)
		}
		victims[r.Rule] = append(victims[r.Rule], r)
	}
	var parts []string
	for _, rule := range order {
		newest := victims[rule][0]
		subject := clip(newest.Bundle.Version, maxQuoted)
		if newest.Version.IsZero() {
			subject = "bundle " + quote(newest.Bundle.Name)
		}
		part := subject + " " + clip(newest.Why, maxWhy)
		if more := len(victims[rule]) - 1; more > 0 {
			part += fmt.Sprintf(" (and %d more for this reason)", more)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

// faults names the first fault of each catalog that has blobs of the package which could not be used.
func faults(holders []Catalog) string {
	var parts []string
	for _, holder := range holders {
		if len(holder.Package.Faults) > 0 {
			parts = append(parts, fmt.Sprintf("%s has faults in this package: %s", holder.ID, clip(holder.Package.Faults[0], maxCause)))
		}
	}
	return list(parts, "; ", 3)
}

func names(catalogs []Catalog) string {
	var ids []string
	for _, c := range catalogs {
		ids = append(ids, c.ID.String())
	}
	return list(ids, ", ", 4)
}

func quoted(texts []string) string {
	var parts []string
	for _, text := range slices.Sorted(slices.Values(texts)) {
		parts = append(parts, quote(text))
	}
	return list(parts, ", ", maxListed)
}

// list joins at most so many parts and counts the rest.
func list(parts []string, separator string, most int) string {
	if more := len(parts) - most; more > 0 {
		parts = append(slices.Clone(parts[:most]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, separator)
}

func joinSentences(first, second string) string {
	if second == "" {
		return first
	}
	return first + "; " + second
}

func quote(text string) string {
	return fmt.Sprintf("%q", clip(text, maxQuoted))
}

func bound(message string) string {
	return clip(message, MaxMessage)
}

// clip cuts text that others wrote to so many bytes, on one line.
func clip(text string, most int) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-len("…")], "") + "…"
}
