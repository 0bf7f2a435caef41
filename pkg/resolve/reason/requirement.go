package reason

import (
	"fmt"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
)

// Requirement refuses a bundle with a requirement that neither the cluster nor any operator can meet.
type Requirement struct {
	Requirement catalog.Requirement
	// Absences holds the reason why each kind and package of the requirement is missing, in the order of Requirement.Leaves.
	Absences []Absence
}

func (r Requirement) text() string {
	parts := make([]string, len(r.Absences))
	for i, each := range r.Absences {
		parts[i] = each.text()
		if len(r.Absences) > 1 {
			parts[i] = Clip(each.Leaf.String(), maxQuoted) + ": " + parts[i]
		}
	}
	return Clip("needs "+required(r.Requirement)+": "+list(parts, "; ", maxLeaves)+failureMessages(r.Requirement), 2*maxWhy)
}

// required returns the text of the requirement, shortened.
func required(r catalog.Requirement) string { return Clip(r.String(), MaxCause) }

// failureMessages returns the messages of the bundle's author for a requirement and its nested requirements, in parentheses; empty if there
// are none.
func failureMessages(r catalog.Requirement) string {
	var texts []string
	var collect func(r catalog.Requirement)
	collect = func(r catalog.Requirement) {
		if r.Message != "" {
			texts = append(texts, fmt.Sprintf("%q", Clip(r.Message, MaxCause)))
		}
		for _, member := range r.Members() {
			collect(member)
		}
	}
	collect(r)
	if len(texts) == 0 {
		return ""
	}
	return " (its author: " + list(texts, ", ", maxLeaves) + ")"
}

// AbsenceKind classifies the reasons why a required kind or package is missing.
type AbsenceKind int

// Values of AbsenceKind.
const (
	// AbsenceUnsupported: the requirement is of a type that is not evaluated.
	AbsenceUnsupported AbsenceKind = iota
	// AbsenceNone: the kind or package exists. The requirement may be one that forbids it.
	AbsenceNone
	// AbsenceKindMissing: no bundle on the cluster provides the kind. Advice lists packages that would.
	AbsenceKindMissing
	// AbsenceUnreadableRange: the version range of the required package is invalid.
	AbsenceUnreadableRange
	// AbsenceExternalVersion: Installer manages the package, and InstalledVersion is not in the range.
	AbsenceExternalVersion
	// AbsenceNoSuchVersion: Operator requests the package, and has no version in the range.
	AbsenceNoSuchVersion
	// AbsencePackageMissing: the package is not installed.
	AbsencePackageMissing
)

// Absence is the reason why a required kind or package is missing. Kind determines which of the other fields are set.
type Absence struct {
	Kind AbsenceKind
	Leaf catalog.Requirement

	Advice                                *Advice
	Installer, InstalledVersion, Operator string
}

func (a Absence) text() string {
	switch a.Kind {
	case AbsenceUnsupported:
		return "this cannot be judged here; use a version that does without"
	case AbsenceNone:
		return "it is there already"
	case AbsenceKindMissing:
		return "nothing on the cluster provides it; " + a.Advice.text()
	case AbsenceUnreadableRange:
		return fmt.Sprintf("%s is not a version range; use a version with one that can be read", Quote(a.Leaf.Package.Range))
	case AbsenceExternalVersion:
		return fmt.Sprintf("%s has it at version %s; move that", Clip(a.Installer, MaxCause), Quote(a.InstalledVersion))
	case AbsenceNoSuchVersion:
		return fmt.Sprintf("PlatformOperator %q, which is of that package, has no such version to choose from; add a catalog that has one", a.Operator)
	case AbsencePackageMissing:
	}
	return fmt.Sprintf("it is not installed; create a PlatformOperator for package %q", Clip(a.Leaf.Package.Name, maxQuoted))
}

// Advice lists the packages that would provide a kind. The manager installs only packages that a PlatformOperator requests.
type Advice struct {
	// Omitted reports whether the advice was left out because too many kinds are missing.
	Omitted bool
	// Requested lists the packages that PlatformOperators already request. Packages lists those that could be requested, and Forbidden
	// those that spec.allowedPackages excludes.
	Requested           []RequestedPackage
	Packages, Forbidden []string
	// Requirer is the package that requires the kind. ItProvides reports whether other versions of Requirer provide the kind.
	Requirer   string
	ItProvides bool
	// Partial lists the names of the catalogs that were not read completely.
	Partial []string
}

// RequestedPackage is a package and the PlatformOperator that requests it.
type RequestedPackage struct{ Package, Operator string }

func (a *Advice) text() string {
	if a.Omitted {
		return "which packages provide it is told when fewer kinds are missing"
	}
	requested := make([]string, len(a.Requested))
	for i, each := range a.Requested {
		requested[i] = fmt.Sprintf("PlatformOperator %q, of package %s, is to bring it: see there why it does not", each.Operator, Quote(each.Package))
	}
	switch {
	case len(requested) > 0 && len(a.Packages) > 0:
		return list(requested, ", ", maxLeaves) + ", or " + create(a.Packages)
	case len(requested) > 0:
		return list(requested, ", ", maxLeaves)
	case len(a.Packages) > 0:
		return create(a.Packages)
	case len(a.Forbidden) > 0:
		return fmt.Sprintf("what provides it is not in spec.allowedPackages of PlatformOperatorManager %q: add one of %s there, and create a PlatformOperator for it",
			operatorv1alpha1.PlatformOperatorManagerName, list(quotes(a.Forbidden), ", ", maxProviders))
	case a.ItProvides:
		return fmt.Sprintf("of the packages that are known here only %s itself provides it, in other versions: permit one of these by spec.package.version", Quote(a.Requirer))
	case len(a.Partial) > 0:
		return fmt.Sprintf("no package that is known here provides it (not everything is known of %s): install one that does", list(a.Partial, ", ", maxLeaves))
	}
	return "no package that is known here provides it: install one that does"
}

// create returns the advice to create a PlatformOperator for one of these packages.
func create(packages []string) string {
	if len(packages) == 1 {
		return "create a PlatformOperator for package " + Quote(packages[0])
	}
	return "create a PlatformOperator for one of the packages " + list(quotes(packages), ", ", maxProviders)
}
