package compat

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Where a declaration was read, as status records it.
const (
	FromCatalog = "Catalog"
	FromBundle  = "Bundle"
)

const (
	// maxRecorded and maxRecordedValue are the schema's limits for declarations that cannot be read. Two are as unreadable as
	// five, and what has to be cut was no minor version before either.
	maxRecorded      = 4
	maxRecordedValue = 128
)

// Declaration is what counts as a bundle's olm.maxOpenShiftVersion, and who says so.
type Declaration struct {
	// Raw holds the values as ReadMax takes them; none is no declaration.
	Raw []string
	// From is FromCatalog or FromBundle; empty with no declaration.
	From string
}

// Statement is what one source says of a bundle's olm.maxOpenShiftVersion. The zero value is a source that cannot be asked, which
// is something else than one that declares nothing.
type Statement struct {
	Known bool
	Raw   []string
}

// Settle says what counts for one bundle of one image. What the catalog declares wins over the bundle's own files, up or down,
// because a catalog can be corrected and a bundle cannot; what it declares and nobody can read wins too, so that the doubt
// blocks. A catalog that declares nothing leaves what the files say. While a source cannot be asked, what was recorded of it
// stays: recorded is what the last Settle said of this bundle.
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

// Record gives the form in which status keeps the values of a declaration: "4.21" where they come to one minor version; else the
// values as they stand, bounded, and a text that shows them. Recalled gives values back of which ReadMax says the same.
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
			value = strings.ToValidUTF8(value[:maxRecordedValue-len("…")], "") + "…" // what is left must not be readable
		}
		unreadable = append(unreadable, value)
	}
	return cmp.Or(cut(strings.Join(unreadable, " "), maxRecordedValue-len("…")), "?"), unreadable
}

// Recalled gives the values of a declaration that Record put into this form.
func Recalled(text string, unreadable []string) []string {
	switch {
	case len(unreadable) > 0:
		return slices.Clone(unreadable)
	case text == "":
		return nil
	}
	return []string{strconv.Quote(text)}
}
