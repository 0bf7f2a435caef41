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

// Catalog is one trusted catalog of the cluster and its content for the requested package.
type Catalog struct {
	ID     catalog.ID
	Labels map[string]string
	// Priority decides if several catalogs have the package: only the highest priority with a fitting version counts.
	Priority int
	// Package is the content. If both Package and Err are nil, the catalog was read and does not have the package.
	Package *catalog.Package
	// Err is why the catalog could not be read. The decision leaves such a catalog out and names it; the other catalogs count.
	Err error
	// Pending is true if Err only means that the catalog has not been read yet. No bundle of the same or a lower priority is chosen until
	// it has been read: the choice must not depend on which catalog answers first.
	Pending bool
	// Unavailable is true if the catalog could not be read for some time, which is reported to affected operators. With Err, the decision
	// leaves it out. Without Err, Package is its last content.
	Unavailable bool
	// UnavailableSince is the time of the first failed read, if the catalog is Unavailable.
	UnavailableSince time.Time
}

// Request is what one PlatformOperator requests, and the cluster's versions.
type Request struct {
	// Operator is the name of the PlatformOperator, and Package the package that it requests.
	Operator, Package string
	// Created is the creation time of the PlatformOperator. Of two that conflict, the older one has precedence.
	Created time.Time
	// VersionRange is spec.package.version; empty for any version.
	VersionRange string
	// Channels is spec.package.channels; empty for the package's default channel in each catalog.
	Channels []string
	// Selector is spec.package.catalogSelector; nil for every catalog.
	Selector labels.Selector
	// ManagerSelector is spec.catalogSelector of the PlatformOperatorManager; nil for every catalog. A catalog must match both selectors.
	// Allowed is its spec.allowedPackages, as globs for path.Match; none for every package.
	ManagerSelector labels.Selector
	Allowed         []string
	// ClusterVersion and KubeVersion are the versions of the cluster. While one of them cannot be parsed, a bundle that declares a limit
	// for it is refused.
	ClusterVersion, KubeVersion string
	// InstalledVersion is the installed version, InstalledRelease its release and InstalledBundle its bundle; empty before the first
	// installation. If it is set, upgrade rules decide which versions may follow it.
	InstalledVersion, InstalledRelease, InstalledBundle string
	// Ready are the recorded versions at which the operator was ready before, oldest first.
	Ready []string
	// Edges is spec.upgrades.edges; empty for the package's own setting. DefaultEdges applies to a package without upgrade rules; empty for
	// the edges of its channels.
	Edges        platformv1alpha1.Edges
	DefaultEdges upgrade.Semantics
	// Manual is true if only the version Approved may be installed.
	Manual   bool
	Approved string
	// WatchNamespace is the namespace that the operator watches, or several, separated by commas; empty to use what the bundle supports.
	// InstallNamespace is the namespace that it is installed in; empty for the one that its author suggests.
	WatchNamespace, InstallNamespace string
}

// Candidate is one bundle in one catalog.
type Candidate struct {
	Catalog catalog.ID
	// Channel is the channel that the bundle was found in: a requested one, else the default one, else any other.
	Channel string
	// Channels are all channels of this catalog that have the bundle.
	Channels []string
	Bundle   catalog.Bundle
	// Version is the bundle's version; zero if it is invalid.
	Version upgrade.Version
}

// Format is the bundle's format according to the catalog; registry+v1 if the catalog declares none.
func (c Candidate) Format() string {
	if len(c.Bundle.MediaTypes) == 0 {
		return corev1alpha2.FormatRegistryV1
	}
	return c.Bundle.MediaTypes[0]
}

// Step is one upgrade step on the path to a version.
type Step struct {
	Candidate
	// Sources are the rules that permit the step.
	Sources []upgrade.Source
}

// Refusal is a candidate that must not be installed.
type Refusal struct {
	Candidate
	// Rule is the name of the rule that refused the candidate, from a fixed set.
	Rule string
	// Cause is why the rule refused it.
	Cause reason.Reason
}

// Why returns the rest of a sentence that begins with the version, such as: is outside spec.package.version "1.x"
func (r Refusal) Why() string { return reason.Text(r.Cause) }

// Decision is the chosen bundle, the alternatives, and why every other version was refused.
type Decision struct {
	// Chosen is the bundle to install next: Target, or the first upgrade step on the path to it. It is nil if there is none; then Reason
	// and Message explain why.
	Chosen *Candidate
	// Target is the end of the path: the best permitted version, or the installed one.
	Target *Candidate
	// Path are the upgrade steps from the installed version to Target; none if the version stays, and none for a first installation.
	Path []Step
	// Awaiting is the version that would be installed if it were approved; nil if no approval is missing.
	Awaiting *Candidate
	// ApprovalProblem is why the approved version is not installed; empty if no version is approved or nothing prevents it.
	ApprovalProblem string
	// Available are all fitting, reachable candidates, newest first, including the installed one. If catalogs of equal priority have
	// different images for the version that would be chosen, nothing is chosen.
	Available []Candidate
	// Refused are all other candidates of the package, newest first.
	Refused []Refusal
	// Updates are the versions above the installed one, each once, newest first, with the path to it or what blocks it.
	Updates []Update
	// Reason is empty if a bundle was chosen, else a reason of the Installed condition: SourceFailed or ValidationFailed.
	Reason string
	// Message has at most MaxMessage bytes. Equal input results in an equal message, whatever its order.
	Message string
	// Obstacle is why nothing was chosen although a version fits, without problems of catalogs; empty otherwise.
	Obstacle string
	// UnreadCatalogs names the catalogs that were left out because they could not be read, with the errors. OmittedCatalogs only names
	// them, so that it does not change with the errors. Both also name the kinds of catalogs that could not be listed, and are empty if
	// nothing is missing.
	UnreadCatalogs, OmittedCatalogs string
	// UnavailableCatalogs has a sentence for each selected catalog that could not be read for some time: whether it is left out or its last
	// content is used, and where to look. The sentences are sorted, bounded, and do not change with the errors.
	UnavailableCatalogs []string
	// Conflicts are the conflicts with other operators that prevent a better version, best version first, at most maxConflicts.
	Conflicts []Conflict
	// CoResolved are the names of the operators that were decided together with this one, sorted.
	CoResolved []string
	// MissingKinds are the kinds for which Message or Updates name packages that provide them, sorted, at most MaxMissingKinds. The
	// decision stays valid while ClusterState.ProviderHints returns the same for them.
	MissingKinds []catalog.GVK
	// Notes report parts of the package's upgrade rules that could not be read or used, and operators that this one holds back, sorted.
	Notes []string
}

// Conflict is why a version cannot be installed because of other operators.
type Conflict struct {
	// Version is the version that would have been chosen without the conflict.
	Version string
	// With are the other PlatformOperators in the conflict, sorted; none if a requirement is merely not met.
	With []string
	// Cause is the reason of the conflict.
	Cause reason.Reason
}

// Why returns the rest of a sentence that begins with the version.
func (c Conflict) Why() string { return reason.Text(c.Cause) }

// String returns the whole sentence.
func (c Conflict) String() string { return c.Version + " " + c.Why() }

// Resolve chooses the newest bundle that fits and that, if something is installed, a path of permitted upgrade steps leads to. It prefers
// bundles that are not deprecated. It never fails: the decision reports problems of the request, the catalogs and every candidate. The
// operator is decided as if it were the only one, on a cluster that serves no kinds of other operators; its requirements for other versions
// of itself count as met. See pkg/resolve/joint for operators that depend on one another.
func Resolve(req Request, catalogs []Catalog) Decision {
	index := NewClusterIndex([]Request{req}, ClusterState{Catalogs: func(string) []Catalog { return catalogs }})
	evaluation := NewEvaluation(req, index)
	evaluation.Filter()
	return evaluation.Decide()
}

// decide chooses among what fits.
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

// preferred orders what fits: what is not deprecated, then the newest.
func preferred(a, b *Option) int {
	switch {
	case (a.Bundle.Deprecated == "") == (b.Bundle.Deprecated == ""):
		return newestFirst(a.Candidate, b.Candidate)
	case a.Bundle.Deprecated == "":
		return -1
	}
	return 1
}
