// Package reason defines a type for each reason in a decision of pkg/resolve: why a bundle may not be installed, why nothing was chosen,
// and what was chosen instead. A reason is data, and only this package converts it to text. The package makes no decisions; pkg/resolve and
// pkg/resolve/joint create the reasons.
//
// A reason that refuses a version is a clause that completes a sentence beginning with the version: `is outside spec.package.version
// "1.x"`. All other reasons are sentences without the full stop.
package reason

import "strings"

// Reason is one reason for a decision. The function Text returns its text.
type Reason interface {
	// text returns the reason on one line. It quotes and shortens texts from catalogs and users.
	text() string
}

// Text returns the text of a reason; empty for nil.
func Text(r Reason) string {
	if r == nil {
		return ""
	}
	return r.text()
}

// Sentences is a list of reasons. Its text joins their texts and omits nil and empty ones.
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

// Rendered is a reason whose text was written by another package, such as pkg/upgrade.
type Rendered string

func (r Rendered) text() string { return string(r) }
