package catalog

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openshift/platform-operators/pkg/truncate"
)

const (
	// maxDeprecations is how many entries a package's deprecations may have: one for all that it may hold.
	maxDeprecations = maxBundles + maxChannels + 1
	// maxDeprecationBlobs is how many different olm.deprecations are kept. More than one are a fault already.
	maxDeprecationBlobs = 4
	// maxDeprecated bounds the message of one deprecation.
	maxDeprecated = 1024
	// deprecatedWithoutMessage is what is said of what is deprecated without a word.
	deprecatedWithoutMessage = "deprecated"
)

// Deprecation says that something of a package should no longer be used.
type Deprecation struct {
	// Schema is "olm.package", "olm.channel" or "olm.bundle"; any other is ignored.
	Schema string
	// Name is that of the channel or bundle; of a package it is empty, or the package's. What the package does not have is ignored.
	Name string
	// Message may be empty.
	Message string
}

// AddDeprecations adds all deprecations of a package. A package has one list of them: different ones are a fault that names
// them, and all of them count.
func (b *Builder) AddDeprecations(pkg string, deprecations []Deprecation) {
	d := b.draft(pkg)
	if len(deprecations) == 0 {
		return
	}
	if len(deprecations) > maxDeprecations {
		d.fault("%s has more than %d entries", schemaDeprecations, maxDeprecations)
		deprecations = deprecations[:maxDeprecations]
	}
	var kept []Deprecation
	for _, entry := range deprecations {
		if entry.Schema == schemaPackage && entry.Name == pkg {
			entry.Name = ""
		}
		entry.Message = DeprecationMessage(entry.Message)
		if d.fits(subject{"deprecation of", entry.Name}, field{"name", entry.Name}, field{"schema", entry.Schema}) {
			kept = append(kept, entry)
		}
	}
	slices.SortFunc(kept, func(a, b Deprecation) int {
		return cmp.Or(cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Message, b.Message))
	})
	kept = slices.Compact(kept)
	sum := sha256.New()
	fmt.Fprintf(sum, "%q", kept)
	key := string(sum.Sum(nil))
	if _, known := d.deprecations[key]; known || !d.keep(sizeOfDeprecations(kept)) {
		return
	}
	d.deprecations[key] = kept
	if len(d.deprecations) > maxDeprecationBlobs {
		last := slices.Max(slices.Collect(maps.Keys(d.deprecations)))
		d.release(sizeOfDeprecations(d.deprecations[last]))
		delete(d.deprecations, last)
		d.fault("there are more than %d different %s", maxDeprecationBlobs, schemaDeprecations)
	}
}

// DeprecationMessage returns the part of a deprecation's message that is kept: at most maxDeprecated bytes, and never empty.
func DeprecationMessage(message string) string {
	message = strings.TrimSpace(message)
	if message == "" {
		return deprecatedWithoutMessage
	}
	return strings.Clone(truncate.Bytes(message, maxDeprecated)) // a copy, so that the much longer text can be garbage-collected
}

// sizeOfDeprecations is what a list of them takes in memory.
func sizeOfDeprecations(list []Deprecation) int {
	size := 0
	for _, entry := range list {
		size += sizeOfDeprecation + len(entry.Name) + len(entry.Schema) + len(entry.Message)
	}
	return size
}

// deprecated returns what is said of each deprecated thing, and records a fault where it is said in several places.
func (d *draft) deprecated() map[Deprecation]string {
	if len(d.deprecations) == 0 {
		return nil
	}
	var lists []string
	messages := map[Deprecation][]string{}
	for _, key := range slices.Sorted(maps.Keys(d.deprecations)) {
		lists = append(lists, list(d.deprecations[key]))
		for _, entry := range d.deprecations[key] {
			of := Deprecation{Schema: entry.Schema, Name: entry.Name}
			messages[of] = append(messages[of], entry.Message)
		}
	}
	if len(lists) > 1 {
		slices.Sort(lists)
		d.fault("there are %d different %s, one a package is allowed: of %s", len(lists), schemaDeprecations, strings.Join(lists, "; and of "))
	}
	out := make(map[Deprecation]string, len(messages))
	for of, said := range messages {
		slices.Sort(said)
		out[of] = truncate.Bytes(strings.Join(slices.Compact(said), "; "), maxDeprecated)
	}
	return out
}

// list names what a list of deprecations is about.
func list(entries []Deprecation) string {
	var names []string
	for _, entry := range entries {
		names = append(names, strings.TrimSpace(fmt.Sprintf("%s %s", truncate.OneLine(entry.Schema, truncate.MaxQuoted), truncate.OneLine(entry.Name, truncate.MaxQuoted))))
		if len(names) == 3 && len(entries) > 3 {
			names = append(names, "…")
			break
		}
	}
	return strings.Join(names, ", ")
}

// readDeprecations reads the entries of an olm.deprecations blob, up to one more than a package may have.
func readDeprecations(raw []byte) ([]Deprecation, error) {
	var out []Deprecation
	err := array(raw, func(element []byte) error {
		if len(out) > maxDeprecations {
			return errEnough
		}
		var entry struct {
			Reference struct {
				Schema string `json:"schema"`
				Name   string `json:"name"`
			} `json:"reference"`
			Message string `json:"message"`
		}
		if err := json.Unmarshal(element, &entry); err != nil {
			return fmt.Errorf("entry %d: %w", len(out)+1, err)
		}
		out = append(out, Deprecation{Schema: entry.Reference.Schema, Name: entry.Reference.Name, Message: entry.Message})
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, fmt.Errorf("entries: %w", err)
	}
	return out, nil
}
