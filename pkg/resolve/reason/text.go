package reason

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openshift/platform-operators/pkg/catalog"
)

const (
	// MaxMessage bounds the message of a decision, in bytes.
	MaxMessage = 1500
	// MaxCause bounds a quoted error or another long quotation, in bytes.
	MaxCause = 200
	// MaxUnavailable bounds the unavailable catalogs that are named, so that other warnings have space.
	MaxUnavailable = 10

	maxQuoted    = 64
	maxWhy       = 500
	maxUnread    = 400 // the cause of a failed connection comes last, after addresses and requests
	maxListed    = 8
	maxLeaves    = 3 // of the kinds and packages in a requirement
	maxProviders = 5
	maxFormats   = 3
	maxModes     = 4
	maxCatalogs  = 4
	maxFaults    = 3
	maxSentences = 4
)

// Bound shortens a message to MaxMessage bytes on one line.
func Bound(message string) string { return Clip(message, MaxMessage) }

// Clip shortens text from outside to a number of bytes, on one line.
func Clip(text string, most int) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-len("…")], "") + "…"
}

// Version shortens a version for a sentence.
func Version(version fmt.Stringer) string { return Clip(version.String(), maxQuoted) }

// Name shortens a name for a sentence.
func Name(name string) string { return Clip(name, maxQuoted) }

// Quote quotes the beginning of a name or value.
func Quote(text string) string { return fmt.Sprintf("%q", Clip(text, maxQuoted)) }

// list joins at most a number of parts, and counts the rest.
func list(parts []string, separator string, most int) string {
	if more := len(parts) - most; more > 0 {
		parts = append(slices.Clone(parts[:most]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, separator)
}

// quotes quotes each text.
func quotes(texts []string) []string {
	quoted := make([]string, len(texts))
	for i, each := range texts {
		quoted[i] = Quote(each)
	}
	return quoted
}

// sortedQuotes quotes texts and lists them sorted.
func sortedQuotes(texts []string) string {
	return list(quotes(slices.Sorted(slices.Values(texts))), ", ", maxListed)
}

// names lists the names of catalogs.
func names(catalogs []catalog.ID) string {
	ids := make([]string, len(catalogs))
	for i, id := range catalogs {
		ids[i] = id.String()
	}
	return list(ids, ", ", maxCatalogs)
}

// texts renders reasons.
func texts(reasons []Reason) []string {
	parts := make([]string, len(reasons))
	for i, each := range reasons {
		parts[i] = each.text()
	}
	return parts
}

// operator renders the name of a PlatformOperator.
func operator(name string) string { return fmt.Sprintf("PlatformOperator %q", name) }
