package reason

import (
	"fmt"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// NotInChannel refuses a bundle that is in no requested channel.
type NotInChannel struct{ Channel string }

func (r NotInChannel) text() string {
	return fmt.Sprintf("is in channel %s only: set spec.package.channels to choose from it", Quote(r.Channel))
}

// TooLong refuses a bundle with a field that is longer than the API permits.
type TooLong struct {
	Field, Value string
	Max          int
}

func (r TooLong) text() string {
	return fmt.Sprintf("has the %s %s, which has more than %d characters", r.Field, Quote(r.Value), r.Max)
}

// NoVersion refuses a bundle without a version.
type NoVersion struct{}

func (NoVersion) text() string { return "has no version in its catalog" }

// UnreadableVersion refuses a bundle with an invalid version.
type UnreadableVersion struct{ Version string }

func (r UnreadableVersion) text() string {
	return fmt.Sprintf("has the version %s, which is not a semantic version", Quote(r.Version))
}

// NoImage refuses a bundle without an image.
type NoImage struct{}

func (NoImage) text() string { return "has no image in its catalog" }

// SeveralFormats refuses a bundle that declares several formats.
type SeveralFormats struct{ Formats []string }

func (r SeveralFormats) text() string {
	return fmt.Sprintf("has several formats in its catalog (%s), but only one is allowed", list(quotes(r.Formats), ", ", maxFormats))
}

// UnsupportedFormat refuses a format that no ProvisionerClass of the payload supports.
type UnsupportedFormat struct{ Format string }

func (r UnsupportedFormat) text() string {
	return fmt.Sprintf("has format %s, which this manager does not support: it supports registry+v1 and plain+v0", Quote(r.Format))
}

// NotApprovedVersion refuses a version for a first installation, because a different version is approved.
type NotApprovedVersion struct{ Approved string }

func (r NotApprovedVersion) text() string {
	return fmt.Sprintf("is not spec.upgrades.approvedVersion %s, the only version that may be installed first", Quote(r.Approved))
}

// OutOfRange refuses a version outside spec.package.version.
type OutOfRange struct{ Range string }

func (r OutOfRange) text() string {
	return fmt.Sprintf("is outside spec.package.version %s: widen the range to permit it", Quote(r.Range))
}

// Prerelease refuses a pre-release that the range does not name.
type Prerelease struct{ Version upgrade.Version }

func (r Prerelease) text() string {
	return fmt.Sprintf("is a pre-release: name one in spec.package.version to permit it, for example \">=%s\"", r.Version)
}

// Downgrade refuses a version below the installed one.
type Downgrade struct{ Installed upgrade.Version }

func (r Downgrade) text() string {
	return fmt.Sprintf("is older than the installed %s; to downgrade at your own risk, set spec.upgrades.edges to SelfCertified and spec.package.version to the older version, or remove the operator (delete the PlatformOperator) and install it again", r.Installed)
}

// UnreadableMaxOpenShift refuses a bundle with an invalid olm.maxOpenShiftVersion.
type UnreadableMaxOpenShift struct{ Err string }

func (r UnreadableMaxOpenShift) text() string { return "cannot be judged: " + r.Err }

// MaxOpenShift refuses a bundle whose olm.maxOpenShiftVersion is below the cluster's version. If Unreadable is set, it refuses the bundle
// because the cluster's version is unknown.
type MaxOpenShift struct {
	Max        compat.Minor
	Cluster    string
	Unreadable bool
}

func (r MaxOpenShift) text() string {
	if r.Unreadable {
		return fmt.Sprintf("allows OpenShift up to %s, and the cluster's version %s cannot be read", r.Max, Quote(r.Cluster))
	}
	return fmt.Sprintf("allows OpenShift up to %s, the cluster is at %s", r.Max, r.Cluster)
}

// UnreadableMinKube refuses a bundle with an invalid minKubeVersion.
type UnreadableMinKube struct{ Version string }

func (r UnreadableMinKube) text() string {
	return fmt.Sprintf("has the minKubeVersion %s, which is not a version", Quote(r.Version))
}

// MinKube refuses a bundle whose minKubeVersion is above the cluster's Kubernetes version. If Unreadable is set, it refuses the bundle
// because that version is unknown.
type MinKube struct {
	Min        fmt.Stringer
	Cluster    string
	Unreadable bool
}

func (r MinKube) text() string {
	if r.Unreadable {
		return fmt.Sprintf("needs Kubernetes %s, and the cluster's version %s cannot be read", r.Min, Quote(r.Cluster))
	}
	return fmt.Sprintf("needs Kubernetes %s, the cluster has %s", r.Min, r.Cluster)
}

// NoNamespace refuses a bundle because the spec names no namespace to watch, and the bundle supports neither AllNamespaces nor
// OwnNamespace.
type NoNamespace struct{ Supported []string }

func (r NoNamespace) text() string {
	return fmt.Sprintf("supports only the install modes [%s]: set spec.install.config.watchNamespace to the namespaces to watch",
		modes(r.Supported))
}

// UnsupportedInstallMode refuses a bundle that cannot watch the wanted namespaces.
type UnsupportedInstallMode struct {
	Mode, WatchNamespace string
	Supported            []string
}

func (r UnsupportedInstallMode) text() string {
	return fmt.Sprintf("does not support install mode %s, which spec.install.config.watchNamespace %s requires: it supports only [%s]",
		r.Mode, Quote(r.WatchNamespace), modes(r.Supported))
}

func modes(supported []string) string { return list(supported, " ", maxModes) }

// APIServices refuses a bundle with aggregated APIs.
type APIServices struct{}

func (APIServices) text() string {
	return "declares aggregated APIs (APIServices), which are not supported: use a version without them, or install the package by other means"
}

// ExternalPackage refuses a package that another installer manages.
type ExternalPackage struct{ Package, Installer, Operator string }

func (r ExternalPackage) text() string {
	return fmt.Sprintf("cannot be installed while %s has package %q on this cluster: delete that, or the PlatformOperator %q", Clip(r.Installer, MaxCause), r.Package, r.Operator)
}

// ExternalKind refuses a bundle that provides a kind that another installer manages.
type ExternalKind struct {
	Kind                catalog.GVK
	Installer, Operator string
}

func (r ExternalKind) text() string {
	return fmt.Sprintf("provides the kind %s, which %s provides already: delete that, or the PlatformOperator %q", Quote(r.Kind.String()), Clip(r.Installer, MaxCause), r.Operator)
}

// ForbiddenVersion refuses every version of a package that spec.allowedPackages does not permit.
type ForbiddenVersion struct{ Package string }

func (r ForbiddenVersion) text() string {
	return fmt.Sprintf("is of a package that spec.allowedPackages of PlatformOperatorManager %q does not allow: add %q there",
		operatorv1alpha1.PlatformOperatorManagerName, r.Package)
}

// Immovable refuses a version because of a problem that concerns every version of the operator.
type Immovable struct{ Problem Reason }

func (r Immovable) text() string { return "cannot be moved to: " + r.Problem.text() }

// Outranked refuses a version because a catalog with a higher priority has a version that fits.
type Outranked struct {
	Catalog  catalog.ID
	Priority int
	By       catalog.ID
}

func (r Outranked) text() string {
	return fmt.Sprintf("is in catalog %s, whose priority %d is below that of %s: select it with spec.package.catalogSelector", r.Catalog, r.Priority, r.By)
}

// AwaitingApproval reports that a version is not installed before its approval.
type AwaitingApproval struct{ Version string }

func (r AwaitingApproval) text() string {
	return fmt.Sprintf("waits for approval: set spec.upgrades.approvedVersion to %q", r.Version)
}
