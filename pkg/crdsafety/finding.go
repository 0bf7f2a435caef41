package crdsafety

import (
	"cmp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/openshift/platform-operators/pkg/truncate"
)

const (
	// maxPath and maxMessage are the maximum sizes of texts in a Finding, in bytes.
	maxPath, maxMessage = 512, 1024
	// maxFindings is the maximum number of findings of one rule in one CustomResourceDefinition.
	maxFindings = 20
)

// Finding is an unsafe change of a CustomResourceDefinition.
type Finding struct {
	// CRD is the name of the CustomResourceDefinition, and Rule that of the rule, as waivers name it.
	CRD, Rule string
	// Path is the version and the field, for example "v1: .spec.ports[*].name". It is a field of the CustomResourceDefinition, for example
	// "spec.scope", if the rule is about the whole object, and a custom resource and its field for RuleStoredObjects. It has at most 512 bytes.
	Path string
	// Message describes the change in at most 1024 bytes.
	Message string
	// Waiver is the reason of the waiver that permits the change, or "" if there is none.
	Waiver string
}

// Blocks reports whether no waiver permits the change.
func (f Finding) Blocks() bool { return f.Waiver == "" }

// order sorts findings that block first, and then by name, rule and path.
func order(a, b Finding) int {
	blocking := map[bool]int{true: 0, false: 1}
	return cmp.Or(cmp.Compare(blocking[a.Blocks()], blocking[b.Blocks()]), strings.Compare(a.CRD, b.CRD), strings.Compare(a.Rule, b.Rule),
		strings.Compare(a.Path, b.Path), strings.Compare(a.Message, b.Message))
}

// location is a field of a schema. The zero pointer is the whole object.
type location struct {
	parent *location
	child
}

// text returns a location as a JSON path, cut to a maximum size in bytes.
func (l *location) text(most int) string {
	var elements []string
	for at := l; at != nil; at = at.parent {
		elements = append(elements, at.element())
	}
	var path strings.Builder
	for i := len(elements) - 1; i >= 0 && path.Len() <= most; i-- {
		path.WriteString(elements[i])
	}
	if path.Len() == 0 {
		return "."
	}
	return truncate.OneLine(path.String(), most)
}

// element returns the last part of a JSON path.
func (c child) element() string {
	switch {
	case c.kind != ofProperty:
		return "[*]"
	case len(validation.IsCIdentifier(c.name)) == 0:
		return "." + c.name
	default:
		return "['" + c.name + "']"
	}
}
