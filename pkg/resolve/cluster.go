package resolve

import (
	"cmp"
	"strings"

	blang "github.com/blang/semver/v4"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// ClusterState is the state of the cluster, apart from its PlatformOperators.
type ClusterState struct {
	// Catalogs returns the content that each catalog of the cluster has for a package. If it is nil, there are no catalogs. It is called
	// once for each package. Its result must not change afterwards.
	Catalogs func(pkg string) []Catalog
	// Unlisted are the kinds of catalogs that could not be listed, sorted. Catalogs of these kinds may be missing from Catalogs.
	Unlisted []string
	// Kinds are the kinds that the cluster serves.
	Kinds []Kind
	// ExternalPackages are the packages that OLM v0, OLM v1 or Helm manages.
	ExternalPackages []ExternalPackage
	// ProviderHints returns, for use in messages, the packages of each catalog that provide a kind. If it is nil, no catalog is known. It
	// is called once for each kind that a message names.
	ProviderHints func(gvk catalog.GVK) []ProviderHint
	// Limit limits the work for each operator: the search for paths, the explanation of refusals, and the comparison of its versions with
	// required ranges. If Steps is 0, a default applies. All calls of a Cache must use the same Limit. When Done is closed, all searches
	// end and the decision is incomplete: a Cache does not keep such a decision, and the caller must discard it.
	Limit upgrade.Limit
}

// Kind is a kind that the cluster serves.
type Kind struct {
	catalog.GVK
	// Operator is the name of the PlatformOperator whose bundle provides the kind; empty if no PlatformOperator does.
	Operator string
	// Installer names the object that installed the kind if no PlatformOperator did, formatted for messages, such as "Subscription
	// operators/quay". If Operator and Installer are empty, every operator may require the kind, and any may provide it.
	Installer string
}

// ExternalPackage is a package that was not installed by a PlatformOperator.
type ExternalPackage struct {
	Package string
	// Version is the installed version; empty if it is not known.
	Version string
	// Installer names the object that installed the package, formatted for messages, such as "ClusterExtension quay".
	Installer string
}

func (w ClusterState) catalogs(pkg string) []Catalog {
	if w.Catalogs == nil {
		return nil
	}
	return w.Catalogs(pkg)
}

// ClusterIndex is an index of a ClusterState and of the operators that are decided together. It is not safe for concurrent use.
type ClusterIndex struct {
	State ClusterState
	// ReadRange parses the version range of a required package. It returns nil for an invalid range. It is called once for each range.
	ReadRange func(text string) blang.Range
	// Providers holds the registered operators, keyed by each kind that any of their versions provides. ByPackage holds the registered
	// operators, keyed by the package that they request.
	Providers map[catalog.GVK][]*Evaluation
	ByPackage map[string][]*Evaluation

	// served holds the kinds that do not depend on a PlatformOperator. operatorKinds holds the kinds on the cluster that a PlatformOperator
	// provides, keyed by its name.
	served        map[catalog.GVK]Kind
	operatorKinds map[string][]catalog.GVK
	// hasExternalKinds is true if any served kind has an installer.
	hasExternalKinds bool
	external         map[string]externalPackage
	// holders holds, for each requested package, the name of the first operator that requests it, registered or not.
	holders map[string]string
	// ranges caches the parsed ranges of required packages, keyed by their text; nil for invalid ranges.
	ranges map[string]blang.Range
	// hints caches the results of State.ProviderHints.
	hints map[catalog.GVK][]ProviderHint
}

// externalPackage is an ExternalPackage with its parsed version.
type externalPackage struct {
	external ExternalPackage
	version  upgrade.Version
}

// NewClusterIndex returns an index of a cluster without registered operators. The requests must be sorted by precedence, highest first.
func NewClusterIndex(requests []Request, state ClusterState) *ClusterIndex {
	index := &ClusterIndex{
		State:         state,
		ReadRange:     upgrade.ReadRange,
		served:        map[catalog.GVK]Kind{},
		operatorKinds: map[string][]catalog.GVK{},
		external:      map[string]externalPackage{},
		Providers:     map[catalog.GVK][]*Evaluation{},
		ByPackage:     map[string][]*Evaluation{},
		holders:       map[string]string{},
		ranges:        map[string]blang.Range{},

		hints: map[catalog.GVK][]ProviderHint{},
	}
	operators := map[string]bool{}
	for _, req := range requests {
		operators[req.Operator] = true
		if _, known := index.holders[req.Package]; !known {
			index.holders[req.Package] = req.Operator
		}
	}
	for _, kind := range state.Kinds {
		if kind.Operator != "" && operators[kind.Operator] {
			index.operatorKinds[kind.Operator] = append(index.operatorKinds[kind.Operator], kind.GVK)
			continue
		}
		if before, known := index.served[kind.GVK]; !known || before.Installer == "" || kind.Installer != "" && kind.Installer < before.Installer {
			index.served[kind.GVK] = kind
		}
		index.hasExternalKinds = index.hasExternalKinds || kind.Installer != ""
	}
	for _, each := range state.ExternalPackages {
		next := externalPackage{external: each}
		next.version, _ = upgrade.ParseVersion(each.Version, "")
		if before, known := index.external[each.Package]; !known || each.Installer < before.external.Installer {
			index.external[each.Package] = next
		}
	}
	return index
}

// limit returns the limit on the work for one operator, with the default for Steps applied.
func (index *ClusterIndex) limit() upgrade.Limit {
	limit := index.State.Limit
	limit.Steps = cmp.Or(limit.Steps, maxWork)
	return limit
}

// WithoutEvaluations returns an index of the same cluster without registered operators. Both indexes share their caches.
func (index *ClusterIndex) WithoutEvaluations() *ClusterIndex {
	again := *index
	again.Providers, again.ByPackage = map[catalog.GVK][]*Evaluation{}, map[string][]*Evaluation{}
	return &again
}

// Register adds operators to Providers and ByPackage, so that the decision for each considers the others.
func (index *ClusterIndex) Register(evaluations []*Evaluation) {
	for _, e := range evaluations {
		index.ByPackage[e.Package()] = append(index.ByPackage[e.Package()], e)
		visited := map[*catalog.GVK]bool{} // keyed by the first element of the list, because bundles share lists
		for _, o := range e.Options {
			if len(o.Bundle.ProvidedGVKs) == 0 || visited[&o.Bundle.ProvidedGVKs[0]] {
				continue
			}
			visited[&o.Bundle.ProvidedGVKs[0]] = true
			index.addProvider(e, o.Bundle.ProvidedGVKs)
		}
		index.addProvider(e, index.operatorKinds[e.Operator()])
	}
}

func (index *ClusterIndex) addProvider(e *Evaluation, kinds []catalog.GVK) {
	for _, gvk := range kinds {
		if providers := index.Providers[gvk]; len(providers) == 0 || providers[len(providers)-1] != e {
			index.Providers[gvk] = append(providers, e)
		}
	}
}

// Hints returns the result of State.ProviderHints for a kind. It calls ProviderHints, which must not be nil, once for each kind.
func (index *ClusterIndex) Hints(gvk catalog.GVK) []ProviderHint {
	found, known := index.hints[gvk]
	if !known {
		found = index.State.ProviderHints(gvk)
		index.hints[gvk] = found
	}
	return found
}

// Range parses the range of a required package. An empty range contains every version. ok is false if the range is invalid or too long.
func (index *ClusterIndex) Range(text string) (covers blang.Range, ok bool) {
	covers, known := index.ranges[text]
	if !known {
		switch {
		case strings.TrimSpace(text) == "":
			covers = func(blang.Version) bool { return true }
		case len(text) <= maxRange:
			covers = index.ReadRange(text)
		}
		index.ranges[text] = covers
	}
	return covers, covers != nil
}

// IsMetByCluster reports whether a kind or package exists on the cluster regardless of the PlatformOperators. It returns false for any
// other requirement.
func (index *ClusterIndex) IsMetByCluster(leaf catalog.Requirement) bool {
	switch {
	case leaf.GVK != nil:
		_, served := index.served[*leaf.GVK]
		return served
	case leaf.Package == nil:
		return false
	}
	covers, ok := index.Range(leaf.Package.Range)
	there, known := index.external[leaf.Package.Name]
	return ok && known && (there.version.IsIn(covers) || there.version.IsZero() && strings.TrimSpace(leaf.Package.Range) == "")
}

// Related returns the registered operators that could provide a required kind or package, or conflict with it.
func (index *ClusterIndex) Related(leaf catalog.Requirement) []*Evaluation {
	switch {
	case leaf.GVK != nil:
		return index.Providers[*leaf.GVK]
	case leaf.Package != nil:
		return index.ByPackage[leaf.Package.Name]
	}
	return nil
}

// Served returns the kind and true if the cluster serves it regardless of the PlatformOperators; otherwise false.
func (index *ClusterIndex) Served(gvk catalog.GVK) (Kind, bool) {
	kind, isServed := index.served[gvk]
	return kind, isServed
}

// OperatorKinds returns the kinds on the cluster that a PlatformOperator provides.
func (index *ClusterIndex) OperatorKinds(operator string) []catalog.GVK {
	return index.operatorKinds[operator]
}

// External returns the package of this name that was not installed by a PlatformOperator; false if there is none.
func (index *ClusterIndex) External(pkg string) (ExternalPackage, bool) {
	found, isExternal := index.external[pkg]
	return found.external, isExternal
}

// Holder returns the name of the first operator that requests a package, registered or not; empty if none does.
func (index *ClusterIndex) Holder(pkg string) string { return index.holders[pkg] }
