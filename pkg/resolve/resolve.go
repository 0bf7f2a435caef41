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

// Catalog is one trusted catalog of the cluster and what it has of the requested package.
type Catalog struct {
	ID     catalog.ID
	Labels map[string]string
	// Priority: when several catalogs have the package, only the highest with a fitting version counts.
	Priority int
	// Package is what the catalog has; nil with a nil Err says that it was read and has no such package.
	Package *catalog.Package
	// Err says why the catalog could not be read. It is left out and named; the others still serve.
	Err error
	// Pending says that Err is only that the catalog has not been read yet. Nothing is chosen over such a catalog of the same priority
	// or a higher one: what runs must not depend on which catalog answers first.
	Pending bool
	// Unavailable says that the catalog could not be read for some time, which is reported to affected operators: with an Err it is
	// left out, without one Package is what it last had.
	Unavailable bool
	// UnavailableSince is since when it could not be read, if it is Unavailable.
	UnavailableSince time.Time
}

// Request is what one PlatformOperator asks for, on which cluster.
type Request struct {
	// Operator is the PlatformOperator's name, Package the one it names.
	Operator, Package string
	// Created is when the PlatformOperator was made: of two that are in each other's way, the older one comes first.
	Created time.Time
	// VersionRange is spec.package.version, empty for any version.
	VersionRange string
	// Channels is spec.package.channels, empty for the package's default channel in each catalog.
	Channels []string
	// Selector is spec.package.catalogSelector, nil for every catalog.
	Selector labels.Selector
	// ManagerSelector is spec.catalogSelector of the PlatformOperatorManager, nil for every catalog; both selectors must take
	// a catalog. Allowed is its spec.allowedPackages, globs as path.Match reads them; none is every package.
	ManagerSelector labels.Selector
	Allowed         []string
	// ClusterVersion and KubeVersion are the versions of the cluster. A bundle that declares a limit is refused while
	// the version that it limits cannot be read.
	ClusterVersion, KubeVersion string
	// InstalledVersion is the version that is installed, empty before the first installation, InstalledRelease its release and
	// InstalledBundle its bundle's name. What is chosen from then on is what may follow it.
	InstalledVersion, InstalledRelease, InstalledBundle string
	// Ready are the versions that the operator has been ready at before, as recorded, the oldest first.
	Ready []string
	// Edges is spec.upgrades.edges, empty for the package's own, and DefaultEdges what a package without rules has; empty is
	// what its channels say.
	Edges        platformv1alpha1.Edges
	DefaultEdges upgrade.Semantics
	// Manual says that nothing but the version Approved is moved to.
	Manual   bool
	Approved string
	// WatchNamespace is the namespace that the operator shall watch, or several with commas between them; empty leaves it to
	// what the bundle supports. InstallNamespace is where it goes; empty is where its author suggests.
	WatchNamespace, InstallNamespace string
}

// Candidate is one bundle that could be installed, in one catalog.
type Candidate struct {
	Catalog catalog.ID
	// Channel is the channel that it was found in: a requested one before others, the default one before others.
	Channel string
	// Channels are all that it is in, there.
	Channels []string
	Bundle   catalog.Bundle
	// Version is the bundle's version, zero when it cannot be read.
	Version upgrade.Version
}

// Format is the format that the catalog says the bundle is of; registry+v1 where it says nothing.
func (c Candidate) Format() string {
	if len(c.Bundle.MediaTypes) == 0 {
		return corev1alpha2.FormatRegistryV1
	}
	return c.Bundle.MediaTypes[0]
}

// Step is one upgrade step on the path to a version.
type Step struct {
	Candidate
	// Sources are what permits it.
	Sources []upgrade.Source
}

// Refusal is a candidate that may not be installed.
type Refusal struct {
	Candidate
	// Rule names the rule that refused it, one of a fixed set.
	Rule string
	// Cause is what the rule has against it.
	Cause reason.Reason
}

// Why is the rest of a sentence that begins with the version: `is outside spec.package.version "1.x"`.
func (r Refusal) Why() string { return reason.Text(r.Cause) }

// Decision is what was chosen, what else would do, and why the rest would not.
type Decision struct {
	// Chosen is the bundle to run next, nil when there is none: then Reason and Message say why. It is Target, or the first
	// upgrade step on the path there.
	Chosen *Candidate
	// Target is where the way ends: the best version that may be moved to, or what is installed.
	Target *Candidate
	// Path are the upgrade steps from what is installed to Target; none when nothing has to be moved, and for a first installation.
	Path []Step
	// Awaiting is the version that would be moved to if it were approved, nil when no approval is missing. Why says what is the
	// matter with the one that is approved, empty when none is.
	Awaiting    *Candidate
	AwaitingWhy string
	// Available are all candidates that fit and can be reached, newest first, what is installed among them. When there are
	// two different images for the version that would be chosen, in catalogs of equal priority, nothing is chosen.
	Available []Candidate
	// Refused are all others in the package, newest first.
	Refused []Refusal
	// Updates are the versions above what is installed, each once, newest first, with the way there or what is in it.
	Updates []Update
	// Reason is empty when something was chosen, else a reason of the Installed condition: SourceFailed or
	// ValidationFailed.
	Reason string
	// Message is at most MaxMessage bytes and the same for the same input in any order.
	Message string
	// Obstacle is why nothing was chosen though something fits, without what ails catalogs; empty otherwise.
	Obstacle string
	// UnreadCatalogs names the catalogs that were left out because they could not be read and says why, OmittedCatalogs only names them, so that
	// it is the same whatever the errors are; both say as well which kinds of catalogs could not be listed, and are empty when
	// nothing is missing.
	UnreadCatalogs, OmittedCatalogs string
	// UnavailableCatalogs are sentences on the selected catalogs that could not be read for some time, sorted and bounded: which are left out,
	// of which the last content is used, and where to look. They are the same whatever the error is.
	UnavailableCatalogs []string
	// Conflicts are what stands between this operator and a better version on the side of other operators, the best version
	// first, at most maxConflicts.
	Conflicts []Conflict
	// CoResolved are the names of the operators that it was decided together with, sorted.
	CoResolved []string
	// MissingKinds are the kinds for which the message, or Updates, say which packages provide them, sorted, at most MaxMissingKinds: as
	// long as ClusterState.ProviderHints returns the same for these, the decision is the same.
	MissingKinds []catalog.GVK
	// Notes are what of the package's upgrade rules could not be seen or used, and which other operators are held back by
	// what this one runs, sorted.
	Notes []string
}

// Conflict is why a version cannot run because of other operators.
type Conflict struct {
	// Version is the version that would have been chosen without it.
	Version string
	// With are the other PlatformOperators that are part of it, sorted; none where nothing but a requirement is not met.
	With []string
	// Cause is what stands in the way.
	Cause reason.Reason
}

// Why is the rest of a sentence that begins with the version.
func (c Conflict) Why() string { return reason.Text(c.Cause) }

// String is the sentence.
func (c Conflict) String() string { return c.Version + " " + c.Why() }

// Resolve chooses the newest bundle that fits and, where something is installed, that a path of permitted upgrade steps leads to;
// one that is not deprecated before one that is. It never fails: what is wrong with the request, the catalogs or every
// candidate is in the decision. The operator is decided as if it were the only one on a cluster that serves no kinds of others; what
// it requires of other versions of itself is not missing there. Where operators depend on one another, see pkg/resolve/joint.
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
