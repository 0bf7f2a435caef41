package compat

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Origins of a declaration, as in the API's status.
const (
	FromCatalog = "Catalog"
	FromBundle  = "Bundle"
)

const (
	// maxRecorded is the maximum number of unreadable values that status stores for one bundle, and maxRecordedValue is the maximum size of
	// each in bytes; the API has the same limits. The limits do not change the verdict: more than one value is unreadable anyway, and so is
	// a value that has to be truncated.
	maxRecorded      = 4
	maxRecordedValue = 128
)

// Declaration is the effective olm.maxOpenShiftVersion of a bundle, and its origin.
type Declaration struct {
	// Raw holds the values in the format that ReadMax parses; empty means no declaration.
	Raw []string
	// From is FromCatalog or FromBundle; empty without a declaration.
	From string
}

// Statement is what one source declares as a bundle's olm.maxOpenShiftVersion. Known is false if the source is not available. If Known is
// true and Raw is empty, the source has no declaration.
type Statement struct {
	Known bool
	Raw   []string
}

// Settle returns the effective declaration for one bundle from one image. The catalog's declaration takes precedence over the bundle's own
// files, whether it is higher or lower, because a catalog can be corrected and a bundle cannot. Even an unreadable declaration in the
// catalog takes precedence, and blocks upgrades. Without a declaration in the catalog, the files apply. While a source is not available,
// its last recorded declaration remains in effect: recorded is the previous result of Settle for this bundle.
func Settle(recorded Declaration, catalog, own Statement) Declaration {
	switch {
	case len(catalog.Raw) > 0:
		return Declaration{Raw: catalog.Raw, From: FromCatalog}
	case own.Known && (catalog.Known || recorded.From != FromCatalog):
		return declaration(own.Raw, FromBundle)
	}
	return recorded
}

func declaration(raw []string, from string) Declaration {
	if len(raw) == 0 {
		return Declaration{}
	}
	return Declaration{Raw: raw, From: from}
}

// Record converts the raw values of a declaration to what status stores. If ReadMax can read them, text is the minor version, such as
// "4.21", or empty if there is no value, and unreadable is nil. Otherwise unreadable holds the first values, truncated, and text joins them
// for display. Recalled returns values for which ReadMax has the same result as for raw.
func Record(raw []string) (text string, unreadable []string) {
	max, err := ReadMax(raw)
	switch {
	case err == nil && max == nil:
		return "", nil
	case err == nil:
		return max.String(), nil
	}
	for _, value := range raw[:min(len(raw), maxRecorded)] {
		if value = strings.ToValidUTF8(value, "?"); len(value) > maxRecordedValue {
			value = strings.ToValidUTF8(value[:maxRecordedValue-len("…")], "") + "…" // the truncated value must not be readable
		}
		unreadable = append(unreadable, value)
	}
	return cmp.Or(cut(strings.Join(unreadable, " "), maxRecordedValue-len("…")), "?"), unreadable
}

// Recalled converts the results of Record back to raw values; nil if there is no declaration.
func Recalled(text string, unreadable []string) []string {
	switch {
	case len(unreadable) > 0:
		return slices.Clone(unreadable)
	case text == "":
		return nil
	}
	return []string{strconv.Quote(text)}
}
