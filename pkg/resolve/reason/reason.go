// Package reason has a type for each reason that a decision of pkg/resolve has: why a bundle may not be installed, why nothing was
// chosen, and what was chosen instead. A reason is data; this package is the only place where it becomes words. The package decides
// nothing; pkg/resolve and pkg/resolve/joint make the reasons.
//
// A reason that refuses a version is the rest of a sentence that begins with the version: `is outside spec.package.version "1.x"`. All
// others are sentences, without the full stop.
package reason

import "strings"

// Reason is one reason of a decision. Text renders it.
type Reason interface {
	// text renders the reason on one line. Text of catalogs and users is quoted and shortened.
	text() string
}

// Text renders a reason; empty for nil.
func Text(r Reason) string {
	if r == nil {
		return ""
	}
	return r.text()
}

// Sentences renders several reasons, one after another, without empty ones.
type Sentences []Reason

func (s Sentences) text() string {
	var parts []string
	for _, each := range s {
		if text := Text(each); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "; ")
}

// Rendered is a reason that another package, such as pkg/upgrade, has rendered.
type Rendered string

func (r Rendered) text() string { return string(r) }
