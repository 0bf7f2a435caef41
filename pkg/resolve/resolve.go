package resolve

import (
	"fmt"

	"github.com/Masterminds/semver/v3"
	"k8s.io/apimachinery/pkg/labels"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
)

// Catalog is one trusted catalog of the cluster and what it has of the package that is asked for.
type Catalog struct {
	ID     catalog.ID
	Labels map[string]string
	// Priority: when several catalogs have the package, only the highest with a fitting version counts.
	Priority int
	// Package is what the catalog has; nil with a nil Err says that it was read and has no such package.
	Package *catalog.Package
	// Err says why the catalog could not be read. It is left out and named; the others still serve.
	Err error
	// Pending says that Err is only that nobody has tried yet. Nothing is chosen over such a catalog if its word counts as
	// much or more: what runs must not depend on which catalog answers first.
	Pending bool
}

// Request is what one PlatformOperator asks for, on which cluster.
type Request struct {
	// Operator is the PlatformOperator's name, Package the one it names.
	Operator, Package string
	// VersionRange is spec.package.version, empty for any version.
	VersionRange string
	// Channels is spec.package.channels, empty for the package's default channel in each catalog.
	Channels []string
	// Selector is spec.package.catalogSelector, nil for every catalog.
	Selector labels.Selector
	// ClusterVersion and KubeVersion are the versions of the cluster. A bundle that declares a limit is refused while
	// the version that it limits cannot be read.
	ClusterVersion, KubeVersion string
	// InstalledVersion is the version that is installed, empty before the first installation. Nothing older is chosen.
	InstalledVersion string
	// WatchNamespace is the namespace that the operator shall watch, or several with commas between them; empty leaves it to
	// what the bundle supports. InstallNamespace is where it goes; empty is where its author suggests.
	WatchNamespace, InstallNamespace string
}

// Candidate is one bundle that could be installed, in one catalog.
type Candidate struct {
	Catalog catalog.ID
	// Channel is the channel that it was found in: one that was asked for before others, the default one before others.
	Channel string
	Bundle  catalog.Bundle
	// Version is the bundle's version, nil when it cannot be read.
	Version *semver.Version
}

// Refusal is a candidate that may not be installed.
type Refusal struct {
	Candidate
	// Rule names the rule that refused it, one of a fixed set.
	Rule string
	// Why is the rest of a sentence that begins with the version: `is outside spec.package.version "1.x"`.
	Why string
}

// Decision is what was chosen, what else would do, and why the rest would not.
type Decision struct {
	// Chosen is the bundle to run, nil when there is none: then Reason and Message say why.
	Chosen *Candidate
	// Available are all candidates that fit, newest first. Chosen is the first of them; when there are two different
	// images for the newest version, in catalogs of equal priority, nothing is chosen.
	Available []Candidate
	// Refused are all others in the package, newest first.
	Refused []Refusal
	// Reason is empty when something was chosen, else a reason of the Installed condition: SourceFailed or
	// ValidationFailed.
	Reason string
	// Message is at most MaxMessage bytes and the same for the same input in any order.
	Message string
	// Unread names the catalogs that were left out because they could not be read, empty when there is none.
	Unread string
}

// Resolve chooses the newest bundle that fits. It never fails: what is wrong with the request, the catalogs or every
// candidate is in the decision.
func Resolve(req Request, catalogs []Catalog) Decision {
	ask, problem := newQuestion(req)
	if problem != "" {
		return refused(platformv1alpha1.ReasonValidationFailed, problem)
	}
	found := look(req, catalogs)
	if problem := found.problem(req); problem != "" {
		decision := refused(platformv1alpha1.ReasonSourceFailed, problem)
		decision.Unread = found.unreadText()
		return decision
	}
	decision := Decision{Unread: found.unreadText()}
	var fitting []option
	for _, o := range gather(req, found.holders) {
		if rule, why := ask.refuse(o); why != "" {
			decision.Refused = append(decision.Refused, Refusal{Candidate: o.Candidate, Rule: rule, Why: why})
			continue
		}
		fitting = append(fitting, o)
	}
	fitting, lower := highestPriority(fitting)
	decision.Refused = append(decision.Refused, lower...)
	sortRefusals(decision.Refused)
	for _, o := range fitting {
		decision.Available = append(decision.Available, o.Candidate)
	}

	switch {
	case len(fitting) == 0:
		decision.Reason, decision.Message = explain(req, found, decision.Refused)
	case found.pending(fitting[0].priority) != "":
		decision.Reason = platformv1alpha1.ReasonSourceFailed
		decision.Message = fmt.Sprintf("version %s of package %q fits and is not chosen before catalog %s has been read",
			clip(fitting[0].Version.String(), maxQuoted), req.Package, found.pending(fitting[0].priority))
	case ambiguous(req, fitting) != "":
		decision.Reason, decision.Message = platformv1alpha1.ReasonValidationFailed, ambiguous(req, fitting)
	default:
		chosen := decision.Available[0]
		decision.Chosen = &chosen
		decision.Message = chose(req, chosen)
	}
	decision.Message = bound(joinSentences(decision.Message, decision.Unread))
	return decision
}

func refused(reason, message string) Decision {
	return Decision{Reason: reason, Message: bound(message)}
}
