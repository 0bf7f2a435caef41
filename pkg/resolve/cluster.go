package resolve

import (
	"cmp"
	"strings"

	blang "github.com/blang/semver/v4"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// ClusterState is what there is on the cluster beside the PlatformOperators.
type ClusterState struct {
	// Catalogs are what the catalogs of the cluster have of a package; nil is none. It is called once for each package, and what
	// it returns must not be changed any more.
	Catalogs func(pkg string) []Catalog
	// Unlisted are the kinds of catalogs that could not be listed, sorted: there may be more than Catalogs returns.
	Unlisted []string
	// Kinds are those that the cluster serves.
	Kinds []Kind
	// ExternalPackages are managed by OLM v0, OLM v1 or Helm.
	ExternalPackages []ExternalPackage
	// ProviderHints returns which packages of each catalog provide a kind, for messages; nil if no catalog is known. It is called
	// once for each kind that a message names.
	ProviderHints func(gvk catalog.GVK) []ProviderHint
	// Limit bounds the search for one operator's paths, and the explanation of what is refused, and again the comparison of its versions
	// with the ranges that operators require; without Steps there may be a default number of them. A Cache always takes the
	// same one. When Done is closed, all searches end. The decision is then incomplete: a Cache does not keep it, and the caller discards
	// it.
	Limit upgrade.Limit
}

// Kind is a kind that the cluster serves.
type Kind struct {
	catalog.GVK
	// Operator is the PlatformOperator whose bundle provided it, empty for none.
	Operator string
	// Installer is the object that installed it otherwise, as messages name it: "Subscription operators/quay". If neither is set, every
	// operator may rely on the kind, and any may provide it.
	Installer string
}

// ExternalPackage is a package that another than a PlatformOperator has installed.
type ExternalPackage struct {
	Package string
	// Version is the installed version, empty where it is not known.
	Version string
	// Installer is the object that installed it, as messages name it: "ClusterExtension quay".
	Installer string
}

func (w ClusterState) catalogs(pkg string) []Catalog {
	if w.Catalogs == nil {
		return nil
	}
	return w.Catalogs(pkg)
}

// ClusterIndex is a ClusterState that is indexed for queries, with the operators that are decided together. It is for one goroutine.
type ClusterIndex struct {
	State ClusterState
	// ReadRange reads a range of a required package, nil if it cannot be read. It is called once for each range.
	ReadRange func(text string) blang.Range
	// Providers are the registered operators that provide a kind in some version, ByPackage those that request a package.
	Providers map[catalog.GVK][]*Evaluation
	ByPackage map[string][]*Evaluation

	// served are the kinds that are there whatever the operators do, operatorKinds those that an operator has provided.
	served        map[catalog.GVK]Kind
	operatorKinds map[string][]catalog.GVK
	// hasExternalKinds says that any of the served kinds has an installer.
	hasExternalKinds bool
	external         map[string]externalPackage
	// holders names, for each requested package, the first operator that requests it, registered or not.
	holders map[string]string
	// ranges are the ranges of required packages that have been read, nil for those that cannot be.
	ranges map[string]blang.Range
	// hints are the answers of State.ProviderHints.
	hints map[catalog.GVK][]ProviderHint
}

// externalPackage is an ExternalPackage with its version read.
type externalPackage struct {
	external ExternalPackage
	version  upgrade.Version
}

// NewClusterIndex indexes a cluster; the requests are in order of precedence.
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

// limit bounds the work that is done about one operator.
func (index *ClusterIndex) limit() upgrade.Limit {
	limit := index.State.Limit
	limit.Steps = cmp.Or(limit.Steps, maxWork)
	return limit
}

// WithoutEvaluations is the same cluster with no operators registered.
func (index *ClusterIndex) WithoutEvaluations() *ClusterIndex {
	again := *index
	again.Providers, again.ByPackage = map[catalog.GVK][]*Evaluation{}, map[string][]*Evaluation{}
	return &again
}

// Register makes the operators known to one another.
func (index *ClusterIndex) Register(evaluations []*Evaluation) {
	for _, e := range evaluations {
		index.ByPackage[e.Package()] = append(index.ByPackage[e.Package()], e)
		seen := map[*catalog.GVK]bool{} // bundles share their lists
		for _, o := range e.Options {
			if len(o.Bundle.ProvidedGVKs) == 0 || seen[&o.Bundle.ProvidedGVKs[0]] {
				continue
			}
			seen[&o.Bundle.ProvidedGVKs[0]] = true
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

// Hints are the answers of State.ProviderHints, which is called once for each kind.
func (index *ClusterIndex) Hints(gvk catalog.GVK) []ProviderHint {
	found, known := index.hints[gvk]
	if !known {
		found = index.State.ProviderHints(gvk)
		index.hints[gvk] = found
	}
	return found
}

// Range reads a range of a required package; ok is false if it cannot be read.
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

// IsMetByCluster returns whether a kind or package is there whatever the operators do.
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

// Related are the registered operators that could provide a kind or package, or be in the way of it.
func (index *ClusterIndex) Related(leaf catalog.Requirement) []*Evaluation {
	switch {
	case leaf.GVK != nil:
		return index.Providers[*leaf.GVK]
	case leaf.Package != nil:
		return index.ByPackage[leaf.Package.Name]
	}
	return nil
}

// Served returns a kind that is there whatever the operators do.
func (index *ClusterIndex) Served(gvk catalog.GVK) (Kind, bool) {
	kind, isServed := index.served[gvk]
	return kind, isServed
}

// OperatorKinds are the kinds on the cluster that an operator has provided.
func (index *ClusterIndex) OperatorKinds(operator string) []catalog.GVK {
	return index.operatorKinds[operator]
}

// External returns the package as another than a PlatformOperator has installed it.
func (index *ClusterIndex) External(pkg string) (ExternalPackage, bool) {
	found, isExternal := index.external[pkg]
	return found.external, isExternal
}

// Holder is the first operator that requests a package, registered or not; empty if none does.
func (index *ClusterIndex) Holder(pkg string) string { return index.holders[pkg] }
