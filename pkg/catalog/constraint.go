package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/openshift/platform-operators/pkg/truncate"
)

const (
	// maxGVKs is how many provided kinds of a bundle are kept. The largest bundles of OpenShift 4.20 have some hundred.
	maxGVKs = 4_096
	// maxRequirements bounds what one bundle requires, members of constraints counted one by one.
	maxRequirements = 64
	// maxNesting is how deep constraints may hold constraints.
	maxNesting = 8
	// maxFailureMessage bounds an author's message.
	maxFailureMessage = 256
)

func (b *Bundle) addProvided(value []byte) error {
	gvk, err := readGVK(value)
	if err != nil {
		return err
	}
	if len(b.ProvidedGVKs) <= maxGVKs { // one more than is kept, by which Builder sees that there are too many
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

// addConstraint never refuses: a constraint that cannot be read is one that cannot be judged, and the bundle is still there
// for who has it already.
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
		return unsupported("a required package without a name, in range %s", truncate.Quote(pkg.Range))
	}
	return Requirement{Package: &pkg}
}

func unsupported(format string, args ...any) Requirement {
	return Requirement{Unsupported: fmt.Sprintf(format, args...)}
}

func readGVK(value []byte) (GVK, error) {
	var gvk GVK
	err := texts(value, map[string]*string{"group": &gvk.Group, "version": &gvk.Version, "kind": &gvk.Kind})
	return gvk, err
}

func readPackageRange(value []byte) (PackageRange, error) {
	var pkg PackageRange
	err := texts(value, map[string]*string{"packageName": &pkg.Name, "versionRange": &pkg.Range})
	return pkg, err
}

// texts reads string fields of an object and ignores the others.
func texts(value []byte, fields map[string]*string) error {
	return object(value, func(key, raw []byte) error {
		for name, into := range fields {
			if !is(key, name) {
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

// constraintReader reads one olm.constraint and what is in it.
type constraintReader struct {
	// left is how many constraints may still come.
	left int
	// beyond says which bound the constraint is beyond; then nothing of it is read any more.
	beyond string
}

func readConstraint(value []byte) Requirement {
	r := constraintReader{left: maxRequirements}
	out := r.read(value, maxNesting)
	if r.beyond != "" {
		return Requirement{Unsupported: r.beyond, Message: out.Message}
	}
	return out
}

// read reads a constraint in which others may be nested to the given depth.
func (r *constraintReader) read(value []byte, depth int) Requirement {
	if r.left--; r.left < 0 {
		r.beyond = fmt.Sprintf("an olm.constraint of more than %d constraints", maxRequirements)
	}
	if r.beyond != "" {
		return Requirement{}
	}
	var out Requirement
	var message string
	var found []string
	err := object(value, func(key, raw []byte) (err error) {
		if is(key, "failureMessage") {
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

// member reads what a constraint is about.
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

// members reads the list below all, any or not.
func (r *constraintReader) members(raw []byte, depth int) (members []Requirement, err error) {
	if depth == 0 {
		r.beyond = fmt.Sprintf("olm.constraints nested deeper than %d", maxNesting)
		return nil, nil
	}
	err = object(raw, func(key, list []byte) error {
		if !is(key, "constraints") {
			return fmt.Errorf("the field %s is not known", truncate.Quote(key))
		}
		return array(list, func(element []byte) error {
			members = append(members, r.read(element, depth-1))
			if r.beyond != "" {
				return errors.New(r.beyond) // reading on would only fill memory
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
