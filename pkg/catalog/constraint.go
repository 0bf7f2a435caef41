package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/openshift/platform-operators/pkg/truncate"
)

const (
	// maxGVKs is the maximum number of provided kinds that are retained for a bundle. The largest bundles of OpenShift 4.20 provide about a
	// hundred.
	maxGVKs = 4_096
	// maxRequirements is the maximum number of requirements of one bundle, including the nested members of constraints.
	maxRequirements = 64
	// maxNesting is the maximum nesting of constraints.
	maxNesting = 8
	// maxFailureMessage is the maximum size of an author's message, in bytes. A longer message is truncated.
	maxFailureMessage = 256
)

func (b *Bundle) addProvided(value []byte) error {
	gvk, err := readGVK(value)
	if err != nil {
		return err
	}
	if len(b.ProvidedGVKs) <= maxGVKs { // one more than the limit, so that Builder can report the excess
		b.ProvidedGVKs = append(b.ProvidedGVKs, gvk)
	}
	return nil
}

func (b *Bundle) addRequirement(r Requirement) {
	if len(b.Requirements) <= maxRequirements {
		b.Requirements = append(b.Requirements, r)
	}
}

func (b *Bundle) addRequiredGVK(value []byte) error {
	gvk, err := readGVK(value)
	if err == nil {
		b.addRequirement(requiredGVK(gvk))
	}
	return err
}

func (b *Bundle) addRequiredPackage(value []byte) error {
	pkg, err := readPackageRange(value)
	if err == nil {
		b.addRequirement(requiredPackage(pkg))
	}
	return err
}

// addConstraint adds the requirement of an olm.constraint. An unreadable constraint becomes an unsupported requirement, because the bundle
// must stay in the package for clusters that already run it.
func (b *Bundle) addConstraint(value []byte) {
	b.addRequirement(readConstraint(value))
}

func requiredGVK(gvk GVK) Requirement {
	if gvk.Version == "" || gvk.Kind == "" {
		return unsupported("a required kind without version or kind: %s", truncate.Quote(gvk.String()))
	}
	return Requirement{GVK: &gvk}
}

func requiredPackage(pkg PackageRange) Requirement {
	if pkg.Name == "" {
		return unsupported("a required package without a name, in version range %s", truncate.Quote(pkg.Range))
	}
	return Requirement{Package: &pkg}
}

func unsupported(format string, args ...any) Requirement {
	return Requirement{Unsupported: fmt.Sprintf(format, args...)}
}

func readGVK(value []byte) (GVK, error) {
	var gvk GVK
	err := readTexts(value, map[string]*string{"group": &gvk.Group, "version": &gvk.Version, "kind": &gvk.Kind})
	return gvk, err
}

func readPackageRange(value []byte) (PackageRange, error) {
	var pkg PackageRange
	err := readTexts(value, map[string]*string{"packageName": &pkg.Name, "versionRange": &pkg.Range})
	return pkg, err
}

// readTexts decodes the string fields of an object. It stores each in the variable with the same name in fields, ignoring case, and ignores
// all other fields of the object.
func readTexts(value []byte, fields map[string]*string) error {
	return object(value, func(key, raw []byte) error {
		for name, into := range fields {
			if !matchesKey(key, name) {
				continue
			}
			s, err := text(raw)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			*into = s
		}
		return nil
	})
}

// constraintReader decodes one olm.constraint and the constraints nested in it.
type constraintReader struct {
	// remaining is the number of constraints that may still be read.
	remaining int
	// exceededLimit describes the limit that the constraint exceeds; empty if it exceeds none. If it is set, the rest is not read.
	exceededLimit string
}

func readConstraint(value []byte) Requirement {
	r := constraintReader{remaining: maxRequirements}
	out := r.read(value, maxNesting)
	if r.exceededLimit != "" {
		return Requirement{Unsupported: r.exceededLimit, Message: out.Message}
	}
	return out
}

// read decodes a constraint. depth is the permitted nesting of constraints in it.
func (r *constraintReader) read(value []byte, depth int) Requirement {
	if r.remaining--; r.remaining < 0 {
		r.exceededLimit = fmt.Sprintf("an olm.constraint of more than %d constraints", maxRequirements)
	}
	if r.exceededLimit != "" {
		return Requirement{}
	}
	var out Requirement
	var message string
	var found []string
	err := object(value, func(key, raw []byte) (err error) {
		if matchesKey(key, "failureMessage") {
			if message, err = text(raw); err != nil {
				return fmt.Errorf("failureMessage: %w", err)
			}
			return nil
		}
		found = append(found, truncate.Quote(key))
		if len(found) == 1 {
			out, err = r.member(string(key), raw, depth)
		}
		return err
	})
	switch {
	case err != nil:
		out = unsupported("an olm.constraint that cannot be read: %s", truncate.OneLine(err.Error(), maxFailureMessage))
	case len(found) == 0:
		out = unsupported("an olm.constraint that names nothing")
	case len(found) > 1:
		slices.Sort(found)
		out = unsupported("an olm.constraint with more than one member: [%s]", strings.Join(found[:2], " "))
	}
	out.Message = truncate.Bytes(message, maxFailureMessage)
	return out
}

// member decodes the value of the one member that a constraint has. It returns an unsupported requirement for an unknown member.
func (r *constraintReader) member(kind string, raw []byte, depth int) (out Requirement, err error) {
	switch {
	case strings.EqualFold(kind, "gvk"):
		gvk, err := readGVK(raw)
		return requiredGVK(gvk), err
	case strings.EqualFold(kind, "package"):
		pkg, err := readPackageRange(raw)
		return requiredPackage(pkg), err
	case strings.EqualFold(kind, "all"):
		out.All, err = r.members(raw, depth)
	case strings.EqualFold(kind, "any"):
		out.Any, err = r.members(raw, depth)
	case strings.EqualFold(kind, "not"):
		out.Not, err = r.members(raw, depth)
	case strings.EqualFold(kind, "cel"):
		return unsupported("a CEL rule in an olm.constraint"), nil
	default:
		return unsupported("an olm.constraint with the unknown member %s", truncate.Quote(kind)), nil
	}
	return out, err
}

// members decodes the list of an all, any or not constraint. It returns the requirements sorted, without duplicates. An empty list is an
// error.
func (r *constraintReader) members(raw []byte, depth int) (members []Requirement, err error) {
	if depth == 0 {
		r.exceededLimit = fmt.Sprintf("olm.constraints nested deeper than %d", maxNesting)
		return nil, nil
	}
	err = object(raw, func(key, list []byte) error {
		if !matchesKey(key, "constraints") {
			return fmt.Errorf("the field %s is not known", truncate.Quote(key))
		}
		return array(list, func(element []byte) error {
			members = append(members, r.read(element, depth-1))
			if r.exceededLimit != "" {
				return errors.New(r.exceededLimit) // the rest would only use memory
			}
			return nil
		})
	})
	if err == nil && len(members) == 0 {
		err = errors.New("its list is empty")
	}
	slices.SortFunc(members, Requirement.Compare)
	return slices.CompactFunc(members, func(a, b Requirement) bool { return a.Compare(b) == 0 }), err
}
