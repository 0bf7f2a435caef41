package resolve

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// Catalog is one trusted catalog of the cluster, with its content for the requested package.
type Catalog struct {
	ID     catalog.ID
	Labels map[string]string
	// Priority ranks the catalog among those that contain the package; the highest number comes first. Versions are available only from the
	// catalogs with the highest priority that have a fitting, reachable version.
	Priority int
	// Package is the catalog's content for the package. If both Package and Err are nil, the catalog was read and does not contain the
	// package.
	Package *catalog.Package
	// Err is the reason why the catalog could not be read; nil if it was read. The decision names a catalog that could not be read, and
	// uses only the others.
	Err error
	// Pending reports whether Err only means that the catalog has not been read yet. Until it has been read, no bundle from a catalog with
	// the same or a lower priority is chosen, because the choice must not depend on which catalog is read first.
	Pending bool
	// Unavailable reports whether the catalog has been unreadable for so long that the status of affected operators says so. If Err is set,
	// the decision omits the catalog. Otherwise, Package is the content that was last read.
	Unavailable bool
	// UnavailableSince is the time of the first failed read if the catalog is Unavailable.
	UnavailableSince time.Time
}

// Request holds what one PlatformOperator requests, and the cluster's versions.
type Request struct {
	// Operator is the name of the PlatformOperator, and Package the package that it requests.
	Operator, Package string
	// Created is the creation time of the PlatformOperator. If two PlatformOperators conflict, the older one has precedence.
	Created time.Time
	// VersionRange is spec.package.version; empty for any version.
	VersionRange string
	// Channels is spec.package.channels; empty for the package's default channel in each catalog.
	Channels []string
	// Selector is spec.package.catalogSelector; nil for every catalog.
	Selector labels.Selector
	// ManagerSelector is spec.catalogSelector of the PlatformOperatorManager; nil for every catalog. A catalog must match both selectors.
	// Allowed is spec.allowedPackages of the PlatformOperatorManager, a list of globs for path.Match; empty for every package.
	ManagerSelector labels.Selector
	Allowed         []string
	// ClusterVersion and KubeVersion are the versions of the cluster. If one of them cannot be parsed, bundles that declare a limit for it
	// are refused.
	ClusterVersion, KubeVersion string
	// InstalledVersion is the installed version, InstalledRelease its release and InstalledBundle its bundle; empty before the first
	// installation. If InstalledVersion is set, only versions to which the upgrade rules permit a path may be chosen.
	InstalledVersion, InstalledRelease, InstalledBundle string
	// Ready lists the versions in the operator's history at which the operator was ready, oldest first.
	Ready []string
	// Edges is spec.upgrades.edges; empty to use the package's own setting. DefaultEdges applies to a package without upgrade rules; empty
	// to use the edges of its channels.
	Edges        platformv1alpha1.Edges
	DefaultEdges upgrade.Semantics
	// Manual reports whether upgrades need approval. If they do, the installed version may be replaced only by the version Approved. An
	// empty Approved permits every version for the first installation.
	Manual   bool
	Approved string
	// WatchNamespace is the namespace that the operator watches, or several, separated by commas; empty to use what the bundle supports.
	// InstallNamespace is the namespace in which the operator is installed; empty for the one that the bundle's author suggests.
	WatchNamespace, InstallNamespace string
}

// Candidate is one bundle in one catalog.
type Candidate struct {
	Catalog catalog.ID
	// Channel is the channel to report for the bundle: a requested one, else the default one, else the first by name.
	Channel string
	// Channels are all channels in this catalog that contain the bundle.
	Channels []string
	Bundle   catalog.Bundle
	// Version is the bundle's version; zero if it is invalid.
	Version upgrade.Version
}

// Format returns the bundle's format according to the catalog; registry+v1 if the catalog declares none. If the catalog declares several
// formats, it returns the first.
func (c Candidate) Format() string {
	if len(c.Bundle.MediaTypes) == 0 {
		return corev1alpha2.FormatRegistryV1
	}
	return c.Bundle.MediaTypes[0]
}

// Step is one upgrade step on the path to a version.
type Step struct {
	Candidate
	// Sources are the channel entries and rules that permit the step.
	Sources []upgrade.Source
}

// Refusal is a candidate that must not be installed.
type Refusal struct {
	Candidate
	// Rule is the name of the rule that refused the candidate: one of the constants of this package, or an upgrade.Reason.
	Rule string
	// Cause is the reason why the rule refused the candidate.
	Cause reason.Reason
}

// Why returns a clause that completes a sentence beginning with the version, such as: is outside spec.package.version "1.x"
func (r Refusal) Why() string { return reason.Text(r.Cause) }

// Decision is the chosen bundle, the alternatives, and the reason why every other version was refused.
type Decision struct {
	// Chosen is the bundle to install next: Target, or the first upgrade step on the path to it. It is nil if nothing was chosen; then
	// Reason and Message explain why.
	Chosen *Candidate
	// Target is the version at the end of the path: the best permitted version, or the installed one.
	Target *Candidate
	// Path lists the upgrade steps from the installed version to Target. It is nil if the version does not change, and for a first
	// installation.
	Path []Step
	// Awaiting is the version that would be installed if it were approved; nil if no approval is missing.
	Awaiting *Candidate
	// ApprovalProblem is the reason why the approved version is not installed; empty if no version is approved or nothing prevents it.
	ApprovalProblem string
	// Available are all fitting, reachable candidates, newest first, including the installed one. If catalogs with equal priority have
	// different images for the version that would be chosen, nothing is chosen.
	Available []Candidate
	// Refused are all other candidates of the package, newest first.
	Refused []Refusal
	// Updates lists the versions above the installed one, newest first and without duplicates. Each has the path to it, or the reason why
	// it is blocked.
	Updates []Update
	// Reason is empty if a bundle was chosen or is waiting for approval. Otherwise it is a reason for the Installed condition: SourceFailed
	// or ValidationFailed.
	Reason string
	// Message explains the decision in at most reason.MaxMessage bytes. It does not depend on the order of the input.
	Message string
	// Obstacle is the reason why nothing was chosen although a version fits; empty otherwise. Unlike Message, it does not end with the list
	// of catalogs that could not be read.
	Obstacle string
	// HasPendingCatalogs reports whether a selected catalog has not been read yet. The decision may change when it has been read.
	HasPendingCatalogs bool
	// UnreadCatalogs names the catalogs that were omitted because they could not be read, with the errors. OmittedCatalogs names the same
	// catalogs without the errors, so that the text does not change with each error. Both texts also name the kinds of catalogs that could
	// not be listed; if there are such kinds, OmittedCatalogs names only these. Both texts are empty if all catalogs were listed and read.
	UnreadCatalogs, OmittedCatalogs string
	// UnavailableCatalogs contains a sentence for each selected catalog that could not be read for some time. Each sentence says whether
	// the catalog is omitted or its last content is used, and where to look. The sentences are sorted, limited in number, and do not change
	// with the errors.
	UnavailableCatalogs []string
	// Conflicts are the conflicts with other operators that prevent a better version, at most 10, sorted by that version, best first.
	Conflicts []Conflict
	// CoResolved are the names of the operators that were decided together with this one, sorted.
	CoResolved []string
	// MissingKinds are the kinds for which Message or Updates name packages that provide them, sorted, at most MaxMissingKinds. The
	// decision stays valid as long as ClusterState.ProviderHints returns the same hints for these kinds.
	MissingKinds []catalog.GVK
	// Notes are sentences for the operator's status: what the catalogs do not report about the package, settings in the spec that have no
	// effect or should be removed, and versions of other operators that this operator prevents. They are sorted. There are at most
	// MaxNotes, plus one that says that others were omitted.
	Notes []string
}

// Conflict is the reason why a version cannot be installed because of other operators.
type Conflict struct {
	// Version is the version that would have been chosen without the conflict.
	Version string
	// With lists the names of the other PlatformOperators in the conflict, sorted; empty if the conflict is a requirement that nothing
	// meets.
	With []string
	// Cause is the reason of the conflict.
	Cause reason.Reason
}

// Why returns a clause that completes a sentence beginning with the version.
func (c Conflict) Why() string { return reason.Text(c.Cause) }

// String returns the complete sentence, which begins with the version.
func (c Conflict) String() string { return c.Version + " " + c.Why() }

// Resolve chooses the newest bundle that fits. If something is installed, a path of permitted upgrade steps must lead to the bundle.
// Bundles that are not deprecated are preferred. A first installation immediately gets the version that it would be upgraded to. Resolve
// never fails: the decision reports problems with the request, the catalogs and every candidate. It decides the operator as if it were the
// only one, on a cluster without kinds and packages from other installers. For operators that depend on one another, see pkg/resolve/joint.
func Resolve(req Request, catalogs []Catalog) Decision {
	index := NewClusterIndex([]Request{req}, ClusterState{Catalogs: func(string) []Catalog { return catalogs }})
	evaluation := NewEvaluation(req, index)
	evaluation.Filter()
	return evaluation.Decide()
}

// decide chooses one of the fitting options and sets the fields of the decision. There must be at least one fitting option.
func (e *Evaluation) decide(decision *Decision) {
	pkg := e.query.request.Package
	best := slices.MinFunc(e.fitting, preferred)
	target, ok := e.query.approvedTarget(e.fitting, best, decision)
	if !ok {
		decision.Message = reason.Text(reason.NotApproved{Version: best.Version, Package: pkg})
		return
	}
	path := e.paths.pathTo(target)
	if pending, isPending := e.selection.pending(target.priority); isPending {
		decision.Reason = platformv1alpha1.ReasonSourceFailed
		decision.Message = reason.Text(reason.CatalogPending{Version: target.Version, Package: pkg, Catalog: pending})
		return
	}
	if problem := e.paths.ambiguity(target); problem != nil {
		decision.Reason, decision.Message = platformv1alpha1.ReasonValidationFailed, reason.Text(problem)
		return
	}
	decision.Target, decision.Path = &target.Candidate, path
	decision.Chosen = decision.Target
	if len(path) > 0 {
		decision.Chosen = &path[0].Candidate
	}
	chosen := reason.Chosen{Version: target.Version, Package: pkg, Channel: target.Channel, Catalog: target.Catalog}
	for _, step := range path[:max(0, len(path)-1)] {
		chosen.IntermediateVersions = append(chosen.IntermediateVersions, step.Version)
	}
	decision.Message = reason.Text(chosen)
}

// preferred orders options: first those that are not deprecated, then the newest.
func preferred(a, b *Option) int {
	switch {
	case (a.Bundle.Deprecated == "") == (b.Bundle.Deprecated == ""):
		return newestFirst(a.Candidate, b.Candidate)
	case a.Bundle.Deprecated == "":
		return -1
	}
	return 1
}
