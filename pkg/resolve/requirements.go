package resolve

import (
	"slices"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
)

// apiServicesRule refuses a bundle with aggregated APIs, because the manager does not install them. It permits the installed bundle.
func apiServicesRule(q *query, o *Option) reason.Reason {
	if !o.Bundle.APIServices || q.isInstalled(o) {
		return nil
	}
	return reason.APIServices{}
}

// externallyManagedRule refuses a bundle if another installer on the cluster manages its package or a kind that it provides. Otherwise,
// each of the two installers would revert what the other writes. It permits the installed bundle.
func externallyManagedRule(q *query, o *Option) reason.Reason {
	if q.isInstalled(o) {
		return nil
	}
	if other, ok := q.index.external[q.request.Package]; ok {
		return reason.ExternalPackage{Package: q.request.Package, Installer: other.external.Installer, Operator: q.request.Operator}
	}
	if !q.index.hasExternalKinds {
		return nil
	}
	for _, gvk := range o.Bundle.ProvidedGVKs {
		kind := q.index.served[gvk]
		if kind.Installer == "" || slices.Contains(q.index.operatorKinds[q.request.Operator], gvk) {
			continue
		}
		return reason.ExternalKind{Kind: gvk, Installer: kind.Installer, Operator: q.request.Operator}
	}
	return nil
}

// requirementsRule refuses a bundle with a requirement that neither the cluster nor any version of any operator can meet. It permits the
// installed bundle. pkg/resolve/joint decides which versions fit together.
func requirementsRule(q *query, o *Option) reason.Reason {
	if q.isInstalled(o) {
		return nil
	}
	for _, r := range o.Bundle.Requirements {
		if r.Evaluate(true, func(leaf catalog.Requirement, want bool) bool { return q.canBe(o, leaf, want) }) {
			continue
		}
		unmet := reason.Requirement{Requirement: r}
		for _, leaf := range r.Leaves() {
			unmet.Absences = append(unmet.Absences, q.absence(q.request.Package, leaf))
		}
		return unmet
	}
	return nil
}

// canBe reports whether a required kind or package could exist if an option is installed. If want is false, it reports whether the kind or
// package could be absent.
func (q *query) canBe(o *Option, leaf catalog.Requirement, want bool) bool {
	index := q.index
	if leaf.GVK != nil {
		itself := slices.Contains(o.Bundle.ProvidedGVKs, *leaf.GVK)
		if !want {
			return !index.IsMetByCluster(leaf) && !itself
		}
		return itself || index.IsMetByCluster(leaf) || len(index.Providers[*leaf.GVK]) > 0
	}
	covers, ok := index.Range(leaf.Package.Range)
	if !ok {
		return false
	}
	itself := leaf.Package.Name == q.request.Package && o.Version.IsIn(covers)
	if !want {
		return !itself && !index.IsMetByCluster(leaf)
	}
	return itself || index.IsMetByCluster(leaf) || slices.ContainsFunc(index.ByPackage[leaf.Package.Name], func(e *Evaluation) bool {
		return e.hasVersionIn(leaf.Package.Range, covers)
	})
}

// absence returns the reason why a kind or package that the package requirer requires is missing, and what would provide it.
func (q *query) absence(requirer string, leaf catalog.Requirement) reason.Absence {
	absence := reason.Absence{Leaf: leaf}
	switch {
	case leaf.Unsupported != "":
		absence.Kind = reason.AbsenceUnsupported
		return absence
	case q.index.IsMetByCluster(leaf):
		absence.Kind = reason.AbsenceNone
		return absence
	case leaf.GVK != nil:
		absence.Kind, absence.Advice = reason.AbsenceKindMissing, q.advice(requirer, *leaf.GVK)
		return absence
	}
	absence.Kind = reason.AbsencePackageMissing
	if _, ok := q.index.Range(leaf.Package.Range); !ok {
		absence.Kind = reason.AbsenceUnreadableRange
	} else if other, ok := q.index.external[leaf.Package.Name]; ok {
		absence.Kind, absence.Installer, absence.InstalledVersion = reason.AbsenceExternalVersion, other.external.Installer, other.external.Version
	} else if others := q.index.ByPackage[leaf.Package.Name]; len(others) > 0 {
		absence.Kind, absence.Operator = reason.AbsenceNoSuchVersion, others[0].Operator()
	}
	return absence
}
