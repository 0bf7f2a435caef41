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
	// maxDeprecations is the maximum number of deprecations of a package: one for each bundle and channel, and one for the package.
	maxDeprecations = maxBundles + maxChannels + 1
	// maxDeprecationBlobs is the maximum number of different olm.deprecations blobs that are retained. More than one is already a fault.
	maxDeprecationBlobs = 4
	// maxDeprecated is the maximum size of the message of one deprecation, in bytes.
	maxDeprecated = 1024
	// defaultDeprecationMessage is the message of a deprecation whose message is empty.
	defaultDeprecationMessage = "deprecated"
)

// Deprecation marks a package, channel or bundle as deprecated.
type Deprecation struct {
	// Schema is "olm.package", "olm.channel" or "olm.bundle"; any other is ignored.
	Schema string
	// Name is the name of the channel or bundle. For a package it is empty or the package's name. Unknown names are ignored.
	Name string
	// Message is the author's message; it may be empty.
	Message string
}

// AddDeprecations adds all deprecations of a package; an empty list adds nothing. A package should have only one list. If several different
// lists are added, all of them are used, and the package has a fault that names their entries.
func (b *Builder) AddDeprecations(pkg string, deprecations []Deprecation) {
	d := b.packageBuilder(pkg)
	if len(deprecations) == 0 {
		return
	}
	if len(deprecations) > maxDeprecations {
		d.addFault("%s has more than %d entries; the others are ignored; ask the catalog's publisher to prune it", schemaDeprecations,
			maxDeprecations)
		deprecations = deprecations[:maxDeprecations]
	}
	var kept []Deprecation
	for _, entry := range deprecations {
		if entry.Schema == schemaPackage && entry.Name == pkg {
			entry.Name = ""
		}
		entry.Message = DeprecationMessage(entry.Message)
		if d.checkLengths(subject{"deprecation of", entry.Name}, field{"name", entry.Name}, field{"schema", entry.Schema}) {
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
	if _, known := d.deprecations[key]; known || !d.reserve(sizeOfDeprecations(kept)) {
		return
	}
	d.deprecations[key] = kept
	if len(d.deprecations) > maxDeprecationBlobs {
		last := slices.Max(slices.Collect(maps.Keys(d.deprecations)))
		d.release(sizeOfDeprecations(d.deprecations[last]))
		delete(d.deprecations, last)
		d.addFault(tooMany, maxDeprecationBlobs, "different "+schemaDeprecations+" blobs", "merge them into one")
	}
}

// DeprecationMessage returns a deprecation's message as it is retained: without surrounding white space, and truncated to 1,024 bytes. It
// returns "deprecated" for an empty message.
func DeprecationMessage(message string) string {
	message = strings.TrimSpace(message)
	if message == "" {
		return defaultDeprecationMessage
	}
	return strings.Clone(truncate.Bytes(message, maxDeprecated)) // a copy, so that the much longer text can be garbage-collected
}

// sizeOfDeprecations returns the size of a list in memory, in bytes.
func sizeOfDeprecations(list []Deprecation) int {
	size := 0
	for _, entry := range list {
		size += sizeOfDeprecation + len(entry.Name) + len(entry.Schema) + len(entry.Message)
	}
	return size
}

// deprecated returns the message of each deprecated object. A key identifies the object by Schema and Name, and has no Message. If there
// are several lists, deprecated joins their messages and adds a fault. It returns nil if nothing is deprecated.
func (d *packageBuilder) deprecated() map[Deprecation]string {
	if len(d.deprecations) == 0 {
		return nil
	}
	var lists []string
	byTarget := map[Deprecation][]string{}
	for _, key := range slices.Sorted(maps.Keys(d.deprecations)) {
		lists = append(lists, listTargets(d.deprecations[key]))
		for _, entry := range d.deprecations[key] {
			target := Deprecation{Schema: entry.Schema, Name: entry.Name}
			byTarget[target] = append(byTarget[target], entry.Message)
		}
	}
	if len(lists) > 1 {
		slices.Sort(lists)
		d.addFault("the package has %d different %s blobs, but only one is allowed; they deprecate %s", len(lists), schemaDeprecations,
			strings.Join(lists, "; and "))
	}
	out := make(map[Deprecation]string, len(byTarget))
	for target, messages := range byTarget {
		slices.Sort(messages)
		out[target] = truncate.Bytes(strings.Join(slices.Compact(messages), "; "), maxDeprecated)
	}
	return out
}

// listTargets names the objects that a list deprecates, at most three of them, for use in a fault.
func listTargets(entries []Deprecation) string {
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

// readDeprecations decodes the entries of an olm.deprecations blob. It stops after one entry more than a package may have.
func readDeprecations(raw []byte) ([]Deprecation, error) {
	var out []Deprecation
	err := array(raw, func(element []byte) error {
		if len(out) > maxDeprecations {
			return errLimitReached
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
	if err != nil && !errors.Is(err, errLimitReached) {
		return nil, fmt.Errorf("entries: %w", err)
	}
	return out, nil
}
