package resolve

import (
	"regexp"
	"slices"

	"github.com/Masterminds/semver/v3"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
)

// maxRange is the maximum size of a version range, in bytes.
const maxRange = 256

// explain returns the reason why no candidate fits, and the reason of the Installed condition. No candidate fits if none of the requested
// channels exists, no version is in the range, or every version is refused.
func explain(req Request, selection catalogSelection, refusals []Refusal) (conditionReason string, why reason.Reason) {
	if missing := missingChannels(req, selection.offering); missing != nil {
		return platformv1alpha1.ReasonSourceFailed, reason.Sentences{missing, selection.faults()}
	}
	requested := slices.DeleteFunc(slices.Clone(refusals), func(r Refusal) bool {
		return r.Rule == RuleChannel || r.Rule == RuleRange
	})
	if len(requested) == 0 {
		return platformv1alpha1.ReasonSourceFailed, reason.Sentences{missingVersion(req, selection.offering, refusals), selection.faults()}
	}
	all := reason.AllRefused{Package: req.Package, Catalogs: idsOf(selection.offering), Refused: newestByRule(requested)}
	return platformv1alpha1.ReasonValidationFailed, reason.Sentences{all, selection.faults()}
}

// missingChannels returns nil if a catalog has at least one of the requested channels. Otherwise it returns a reason that names the
// existing channels.
func missingChannels(req Request, offering []Catalog) reason.Reason {
	missing := reason.NoChannel{Package: req.Package, Channels: req.Channels}
	for _, offer := range offering {
		for _, requested := range requestedChannels(req, offer.Package) {
			if _, ok := offer.Package.Channel(requested); ok {
				return nil
			}
		}
		existing := reason.CatalogChannels{Catalog: offer.ID, Default: offer.Package.DefaultChannel}
		for _, c := range offer.Package.Channels {
			existing.Channels = append(existing.Channels, c.Name)
		}
		missing.Existing = append(missing.Existing, existing)
	}
	return missing
}

// missingVersion returns the reason why the requested channels have no version in the range. The reason names the nearest versions. It also
// names a version in the range that only other channels have, if there is one. For a request without a range, the reason is that the
// requested channels contain no bundle at all.
func missingVersion(req Request, offering []Catalog, refusals []Refusal) reason.Reason {
	if req.VersionRange == "" {
		return reason.NoBundle{Package: req.Package, Catalogs: idsOf(offering)}
	}
	var versions []*semver.Version
	for _, r := range refusals {
		if r.Rule == RuleRange {
			versions = append(versions, r.Version.Semver())
		}
	}
	missing := reason.NoVersionInRange{Package: req.Package, Range: req.VersionRange, Catalogs: idsOf(offering), Nearest: nearest(req.VersionRange, versions)}
	strict, loose, err := parseRange(req.VersionRange)
	if err != nil {
		return missing
	}
	missing.IsEmpty = !isSatisfiable(req.VersionRange, strict)
	for _, r := range refusals {
		if r.Rule == RuleChannel && !r.Version.IsZero() && loose.Check(r.Version.Semver()) {
			missing.Elsewhere = &reason.RefusedVersion{Version: r.Version.String(), Why: r.Cause}
			break
		}
	}
	return missing
}

// versionPattern matches the first version in the text of a range.
var versionPattern = regexp.MustCompile(`[0-9]+(\.[0-9]+){0,2}(-[0-9A-Za-z.-]+)?`)

// nearest returns the nearest version below the first version in a range's text, and the nearest version at or above it. versions must be
// sorted, newest first. It returns nil if the text contains no version.
func nearest(text string, versions []*semver.Version) []string {
	target, err := semver.NewVersion(versionPattern.FindString(text))
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
			near = append(near, v.String())
		}
	}
	return near
}

// maxRangeVersions is the maximum number of versions in the text of a range that isSatisfiable evaluates.
const maxRangeVersions = 32

// isSatisfiable reports whether a version can be in a range. A range consists of intervals that begin at a version in its text, or at the
// next patch, minor or major version after that, so only these versions are tried. A pre-release counts only if the range names one. It
// returns true for a range with more than maxRangeVersions versions.
func isSatisfiable(text string, permitted *semver.Constraints) bool {
	found := versionPattern.FindAllString(text, maxRangeVersions+1)
	if len(found) > maxRangeVersions {
		return true
	}
	tried := []semver.Version{*semver.New(0, 0, 0, "", "")}
	for _, each := range found {
		version, err := semver.NewVersion(each)
		if err != nil {
			continue
		}
		tried = append(tried, *version, version.IncPatch(), version.IncMinor(), version.IncMajor())
		if version.Prerelease() != "" {
			tried = append(tried, *semver.New(version.Major(), version.Minor(), version.Patch(), version.Prerelease()+".0", ""))
		}
	}
	return slices.ContainsFunc(tried, func(version semver.Version) bool { return permitted.Check(&version) })
}

// newestByRule returns, for each rule, the newest version that the rule refused, and the number of other versions that it refused. The rule
// that refused the newest version comes first.
func newestByRule(refusals []Refusal) (newest []reason.RefusedVersion) {
	at := map[string]int{}
	for _, r := range refusals {
		if first, known := at[r.Rule]; known {
			newest[first].More++
			continue
		}
		at[r.Rule] = len(newest)
		refused := reason.RefusedVersion{Bundle: r.Bundle.Name, Why: r.Cause}
		if !r.Version.IsZero() {
			refused.Version = r.Bundle.Version
		}
		newest = append(newest, refused)
	}
	return newest
}
