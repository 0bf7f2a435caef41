package reason

import (
	"fmt"
	"strings"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// Chosen reports the version that was chosen, and the versions on the path to it.
type Chosen struct {
	Version              upgrade.Version
	Package, Channel     string
	Catalog              catalog.ID
	IntermediateVersions []upgrade.Version
}

func (r Chosen) text() string {
	text := fmt.Sprintf("version %s of package %q was chosen from channel %s of %s", Version(r.Version), r.Package, Quote(r.Channel), r.Catalog)
	if len(r.IntermediateVersions) == 0 {
		return text
	}
	versions := make([]string, len(r.IntermediateVersions))
	for i, each := range r.IntermediateVersions {
		versions[i] = Version(each)
	}
	return text + ", by way of " + list(versions, ", ", maxListed)
}

// NotApproved reports that nothing is chosen because a version waits for approval.
type NotApproved struct {
	Version upgrade.Version
	Package string
}

func (r NotApproved) text() string {
	return fmt.Sprintf("version %s of package %q waits for approval", Version(r.Version), r.Package)
}

// CatalogPending reports that a version fits, but nothing is chosen before a catalog has been read.
type CatalogPending struct {
	Version upgrade.Version
	Package string
	Catalog catalog.ID
}

func (r CatalogPending) text() string {
	return fmt.Sprintf("version %s of package %q fits and is not chosen before catalog %s has been read", Version(r.Version), r.Package, r.Catalog)
}

// Image is the image that a catalog gives for a version.
type Image struct {
	Catalog catalog.ID
	Image   string
}

// Ambiguous reports that catalogs of equal priority have different images for a version.
type Ambiguous struct {
	Version       upgrade.Version
	Package       string
	First, Second Image
}

func (r Ambiguous) text() string {
	return fmt.Sprintf("version %s of package %q is ambiguous: catalogs %s (%s) and %s (%s) have the same priority and different images for it; decide with spec.package.catalogSelector.matchLabels %s, or give one catalog a higher priority",
		Version(r.Version), r.Package, r.First.Catalog, Clip(r.First.Image, MaxCause), r.Second.Catalog, Clip(r.Second.Image, MaxCause), distinguishingSelector(r.First.Catalog, r.Second.Catalog))
}

// distinguishingSelector returns a label selector, as text, that matches the first catalog but not the second.
func distinguishingSelector(first, second catalog.ID) string {
	switch {
	case first.Kind != second.Kind:
		return fmt.Sprintf("{%q: %q}", platformv1alpha1.LabelCatalogKind, first.Kind)
	case first.Name != second.Name:
		return fmt.Sprintf("{%q: %q}", platformv1alpha1.LabelCatalogName, first.Name)
	}
	return fmt.Sprintf("{%q: %q}", platformv1alpha1.LabelCatalogNamespace, first.Namespace)
}

// ApprovedRefused reports why the approved version is not installed. If Why is nil, no selected catalog has the version.
type ApprovedRefused struct {
	Version string
	Why     Reason
}

func (r ApprovedRefused) text() string {
	if r.Why == nil {
		return fmt.Sprintf("the approved version %s is in no selected catalog", Quote(r.Version))
	}
	return fmt.Sprintf("the approved version %s %s", Quote(r.Version), r.Why.text())
}

// UnreadableInstalled reports that the recorded installed version is invalid.
type UnreadableInstalled struct{ Version string }

func (r UnreadableInstalled) text() string {
	return fmt.Sprintf("the installed version %s cannot be read, so it cannot be told what would be a downgrade: correct status.installed.version, or delete the PlatformOperator and create it again", Quote(r.Version))
}

// UnreadableRange reports that spec.package.version is invalid.
type UnreadableRange struct {
	Range string
	Err   string
}

func (r UnreadableRange) text() string {
	return fmt.Sprintf("spec.package.version %s is not a version range: %s; write it like \">=1.2.0 <2.0.0\", \"1.2.x\" or \"1.2.3\"", Quote(r.Range), Clip(r.Err, MaxCause))
}

// ForbiddenPackage reports that spec.allowedPackages of the PlatformOperatorManager does not permit the package.
type ForbiddenPackage struct {
	Package string
	Allowed []string
}

func (r ForbiddenPackage) text() string {
	return fmt.Sprintf("package %q is not allowed on this cluster: spec.allowedPackages of PlatformOperatorManager %q allows only %s; add %q to it, or delete the PlatformOperator",
		r.Package, operatorv1alpha1.PlatformOperatorManagerName, sortedQuotes(r.Allowed), r.Package)
}

// CatalogChannels lists the channels of a package in a catalog. Default is the default channel; empty if there is none.
type CatalogChannels struct {
	Catalog  catalog.ID
	Channels []string
	Default  string
}

// NoChannel reports that no requested channel exists, and which channels do. If Channels is empty, no channel was requested, and the
// package has no default channel.
type NoChannel struct {
	Package  string
	Channels []string
	Existing []CatalogChannels
}

func (r NoChannel) text() string {
	var parts []string
	for _, each := range r.Existing {
		var existing []string
		for _, channel := range each.Channels {
			name := Quote(channel)
			if channel == each.Default {
				name += " (default)"
			}
			existing = append(existing, name)
		}
		if len(existing) == 0 {
			existing = []string{"none at all"}
		}
		parts = append(parts, fmt.Sprintf("the channels in %s are %s", each.Catalog, list(existing, ", ", maxListed)))
	}
	where := list(parts, "; ", maxFaults)
	if len(r.Channels) == 0 {
		return fmt.Sprintf("package %q has no default channel to choose from: set spec.package.channels; %s", r.Package, where)
	}
	return fmt.Sprintf("package %q has no channel %s: correct spec.package.channels; %s", r.Package, sortedQuotes(r.Channels), where)
}

// NoBundle reports that the requested channels contain no bundle.
type NoBundle struct {
	Package  string
	Catalogs []catalog.ID
}

func (r NoBundle) text() string {
	return fmt.Sprintf("package %q has no bundle in the channels to choose from in %s: set spec.package.channels to a channel that has one", r.Package, names(r.Catalogs))
}

// NoVersionInRange reports that the requested channels contain no version in the range.
type NoVersionInRange struct {
	Package, Range string
	Catalogs       []catalog.ID
	// IsEmpty reports whether the range contradicts itself, so that no version can be in it.
	IsEmpty bool
	// Nearest are the versions nearest to the range.
	Nearest []string
	// Elsewhere is a version in the range that is in no requested channel; nil if there is none.
	Elsewhere *RefusedVersion
}

func (r NoVersionInRange) text() string {
	message := fmt.Sprintf("package %q has no version in spec.package.version %s in the channels to choose from in %s", r.Package, Quote(r.Range), names(r.Catalogs))
	if r.IsEmpty {
		message = fmt.Sprintf("spec.package.version %s permits no version at all, because its parts contradict one another: correct it; %s", Quote(r.Range), message)
	}
	if len(r.Nearest) > 0 {
		near := make([]string, len(r.Nearest))
		for i, each := range r.Nearest {
			near[i] = Clip(each, maxQuoted)
		}
		message += "; the nearest are " + strings.Join(near, " and ")
	}
	if r.Elsewhere != nil {
		message += fmt.Sprintf("; %s %s", Clip(r.Elsewhere.Version, maxQuoted), r.Elsewhere.Why.text())
	}
	return message
}

// MissingChannel reports that one of several requested channels exists in no selected catalog.
type MissingChannel struct {
	Channel  string
	Existing []string
}

func (r MissingChannel) text() string {
	return fmt.Sprintf("spec.package.channels names %s, which no selected catalog has: correct or remove it. The channels are %s.",
		Quote(r.Channel), list(quotes(r.Existing), ", ", maxListed))
}

// SelfCertified reports that spec.upgrades.edges is SelfCertified, so that no upgrade rules restrict changes of the version.
type SelfCertified struct{}

func (SelfCertified) text() string {
	return "spec.upgrades.edges is SelfCertified, so every change of the version, also to an older one, is at your own risk: remove it when the version that you want is installed."
}

// RefusedVersion is a refused version. More is the number of older versions that the same rule refuses.
type RefusedVersion struct {
	// Version is empty if the bundle has no valid version. In that case, the text names Bundle.
	Version, Bundle string
	Why             Reason
	More            int
}

func (r RefusedVersion) text() string {
	subject := Clip(r.Version, maxQuoted)
	if r.Version == "" {
		subject = "bundle " + Quote(r.Bundle)
	}
	text := subject + " " + Clip(r.Why.text(), maxWhy)
	if r.More > 0 {
		text += fmt.Sprintf(" (and %d more for this reason)", r.More)
	}
	return text
}

// AllRefused reports that all candidates are refused. For each rule, it names the newest candidate that was refused.
type AllRefused struct {
	Package  string
	Catalogs []catalog.ID
	Refused  []RefusedVersion
}

func (r AllRefused) text() string {
	parts := make([]string, len(r.Refused))
	for i, each := range r.Refused {
		parts[i] = each.text()
	}
	return fmt.Sprintf("none of the selected versions of package %q in %s can be installed: %s", r.Package, names(r.Catalogs), strings.Join(parts, "; "))
}
