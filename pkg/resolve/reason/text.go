package reason

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openshift/platform-operators/pkg/catalog"
)

const (
	// MaxMessage is the maximum size of the message of a decision, in bytes.
	MaxMessage = 1500
	// MaxCause is the maximum size of a quoted error or another long quotation, in bytes.
	MaxCause = 200
	// MaxUnavailable is the maximum number of unavailable catalogs that Unavailable lists. The limit leaves room for other warnings.
	MaxUnavailable = 10

	// maxQuoted, maxWhy and maxUnread are maximum sizes in bytes; the others are maximum numbers of list elements.
	maxQuoted    = 64
	maxWhy       = 500
	maxUnread    = 400 // larger, because the cause of a failed connection comes last, after addresses and requests
	maxListed    = 8
	maxLeaves    = 3 // kinds and packages in a requirement
	maxProviders = 5
	maxFormats   = 3
	maxModes     = 4
	maxCatalogs  = 4
	maxFaults    = 3
	maxSentences = 4
)

// Bound returns a message on one line, shortened to MaxMessage bytes.
func Bound(message string) string { return Clip(message, MaxMessage) }

// Clip returns a text on one line, shortened to at most the given number of bytes. It replaces invalid UTF-8.
func Clip(text string, most int) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-len("…")], "") + "…"
}

// Version returns the text of a version, shortened for a message.
func Version(version fmt.Stringer) string { return Clip(version.String(), maxQuoted) }

// Name returns a name, shortened for a message.
func Name(name string) string { return Clip(name, maxQuoted) }

// Quote returns a name or value in quotes, shortened.
func Quote(text string) string { return fmt.Sprintf("%q", Clip(text, maxQuoted)) }

// list joins at most the given number of parts, and adds how many more there are.
func list(parts []string, separator string, most int) string {
	if more := len(parts) - most; more > 0 {
		parts = append(slices.Clone(parts[:most]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, separator)
}

// quotes returns each text in quotes, shortened.
func quotes(texts []string) []string {
	quoted := make([]string, len(texts))
	for i, each := range texts {
		quoted[i] = Quote(each)
	}
	return quoted
}

// sortedQuotes returns a list of texts in quotes, sorted.
func sortedQuotes(texts []string) string {
	return list(quotes(slices.Sorted(slices.Values(texts))), ", ", maxListed)
}

// names returns the names of the catalogs as a list.
func names(catalogs []catalog.ID) string {
	ids := make([]string, len(catalogs))
	for i, id := range catalogs {
		ids[i] = id.String()
	}
	return list(ids, ", ", maxCatalogs)
}

// texts returns the text of each reason.
func texts(reasons []Reason) []string {
	parts := make([]string, len(reasons))
	for i, each := range reasons {
		parts[i] = each.text()
	}
	return parts
}

// operator returns the name of a PlatformOperator with its kind, for a message.
func operator(name string) string { return fmt.Sprintf("PlatformOperator %q", name) }
