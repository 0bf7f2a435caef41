package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// blob is one object of the stream. Its identity fields are decoded. Its other fields are raw, and are decoded only if the blob's package
// is wanted.
type blob struct {
	schema, pkg, name                          string
	defaultChannel, entries, image, properties []byte
	// raw is the complete blob. It is nil for a large blob, of which only the fields above are in memory.
	raw   []byte
	large bool
	// omittedErr is the reason why entries or properties of a large blob are missing; nil if all are in memory.
	omittedErr error
}

// parse returns the blob with its identity decoded and its other fields raw. It returns an error if raw is not an object with a schema, or
// if a used field occurs twice.
func parse(raw []byte) (blob, error) {
	b := blob{raw: raw}
	var names [8]string
	hasField := names[:0]
	err := object(raw, func(key, value []byte) (err error) {
		field := b.field(key, value, &err)
		if field == "" || err != nil {
			return err
		}
		if slices.Contains(hasField, field) {
			return duplicateField(field)
		}
		hasField = append(hasField, field)
		return nil
	})
	switch {
	case errors.Is(err, errMalformed):
		return b, syntaxError(raw)
	case err != nil:
		return b, err
	case b.schema == "":
		return b, errors.New("it has no schema")
	}
	return b, nil
}

func duplicateField(field string) error {
	return fmt.Errorf("key %q occurs twice (keys are compared without regard to case)", field)
}

// fieldNames are the names of the fields that are read from blobs.
var fieldNames = [...]string{"schema", "package", "name", "defaultChannel", "entries", "image", "properties"}

// fieldName returns the canonical spelling of a key, or an empty text for a key that is not used.
func fieldName(key []byte) string {
	for _, name := range fieldNames {
		if matchesKey(key, name) {
			return name
		}
	}
	return ""
}

// field stores the value of a key, and returns the key's canonical spelling. It returns an empty text for a key that is not used. It sets
// err if an identity field is not a string.
func (b *blob) field(key, value []byte, err *error) string {
	name := fieldName(key)
	decode := func(into *string) {
		if *into, *err = text(value); *err != nil {
			*err = fmt.Errorf("%s: %w", name, *err)
		}
	}
	switch name {
	case "schema":
		decode(&b.schema)
	case "package":
		decode(&b.pkg)
	case "name":
		decode(&b.name)
	case "defaultChannel":
		b.defaultChannel = value
	case "entries":
		b.entries = value
	case "image":
		b.image = value
	case "properties":
		b.properties = value
	}
	return name
}

// owner returns the package to which the blob belongs; empty for an unknown schema and for a blob without a package.
func (b *blob) owner() string {
	switch b.schema {
	case schemaPackage:
		return b.name
	case schemaChannel, schemaBundle, schemaDeprecations:
		return b.pkg
	}
	if IsUpgradeSchema(b.schema) {
		return b.pkg
	}
	return ""
}

// label returns the identity fields of the blob in parentheses, for use in errors; empty if the blob has none.
func (b *blob) label() string {
	var parts []string
	for _, part := range []struct{ what, is string }{{"schema", b.schema}, {"package", b.pkg}, {"name", b.name}} {
		if part.is != "" {
			parts = append(parts, part.what+" "+truncate.Quote(part.is))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// title returns the schema and the name of the blob, for faults of its package. If the blob has no name, title returns the schema and n,
// the number of the blob in the stream.
func (b *blob) title(n int) string {
	if b.name == "" {
		return fmt.Sprintf("%s in blob %d", b.schema, n)
	}
	return b.schema + " " + truncate.Quote(b.name)
}

// addTo decodes the blob and adds its content to the builder. It returns an error if the blob does not have the shape of its schema.
func (b *blob) addTo(builder *Builder) error {
	switch b.schema {
	case schemaPackage:
		return b.addPackage(builder)
	case schemaChannel:
		return b.addChannel(builder)
	case schemaBundle:
		return b.addBundle(builder)
	case schemaDeprecations:
		return b.addDeprecations(builder)
	}
	if b.large {
		builder.addLargeRules(b.pkg, b.schema)
		return nil
	}
	builder.AddUpgradeRules(b.pkg, b.schema, "", b.raw)
	return nil
}

func (b *blob) addPackage(builder *Builder) error {
	channel, err := optionalText(b.defaultChannel)
	if err != nil {
		return fmt.Errorf("defaultChannel: %w", err)
	}
	builder.AddPackage(b.name, channel)
	return nil
}

// addChannel adds a channel with its entries. An entry without a name is a fault. If one entry is unreadable, no entry may be used, so
// addChannel iterates over a long list twice. It does not decode a long list all at once, because a list of "{}" takes eighty times its
// size in memory.
func (b *blob) addChannel(builder *Builder) error {
	if b.name == "" {
		return errors.New("it has no name")
	}
	add := func(n int, entry Entry) {
		if entry.Name == "" {
			builder.AddFault(b.pkg, fmt.Errorf("channel %s: entry %d is left out: it has no name", truncate.Quote(b.name), n))
			return
		}
		builder.AddChannel(b.pkg, b.name, entry)
	}
	var entries []Entry
	if decodeShortList(b.entries, &entries) {
		builder.AddChannel(b.pkg, b.name)
		for i, entry := range entries {
			add(i+1, entry)
		}
		return nil
	}
	if err := b.eachEntry(func(int, Entry) {}); err != nil {
		return fmt.Errorf("entries: %w", err)
	}
	builder.AddChannel(b.pkg, b.name)
	return b.eachEntry(add)
}

// eachEntry calls f with each entry of a channel and the entry's number, which begins at 1. It stops after maxElements entries, and returns
// an error for an unreadable one.
func (b *blob) eachEntry(f func(n int, entry Entry)) error {
	n := 0
	err := array(b.entries, func(element []byte) error {
		if n++; n > maxElements {
			return errLimitReached
		}
		var entry Entry
		if err := json.Unmarshal(element, &entry); err != nil {
			return fmt.Errorf("entry %d: %w", n, err)
		}
		f(n, entry)
		return nil
	})
	if errors.Is(err, errLimitReached) {
		return nil
	}
	return err
}

// errLimitReached ends the iteration over a list after the maximum number of elements. Callers do not report it.
var errLimitReached = errors.New("no more is kept")

func (b *blob) addBundle(builder *Builder) error {
	if b.name == "" {
		return errors.New("it has no name")
	}
	bundle := Bundle{Name: b.name}
	var err error
	if bundle.Image, err = optionalText(b.image); err != nil {
		return fmt.Errorf("image: %w", err)
	}
	if b.properties != nil {
		if err := b.addProperties(builder, &bundle); err != nil {
			return fmt.Errorf("properties: %w", err)
		}
	}
	builder.AddBundle(b.pkg, bundle)
	return nil
}

// addProperties adds the properties to the bundle, and upgrade rules to the package. It continues after an error, because upgrade rules
// apply to the package even if the bundle is unusable. It returns the first error.
func (b *blob) addProperties(builder *Builder, bundle *Bundle) error {
	var first error
	err := array(b.properties, func(element []byte) error {
		kind, value, err := splitProperty(element)
		switch {
		case err == nil && IsUpgradeSchema(kind):
			builder.AddUpgradeRules(b.pkg, kind, b.name, value)
		case err == nil:
			err = bundle.AddProperty(kind, value)
		}
		if first == nil {
			first = err
		}
		return nil
	})
	if err != nil {
		return err
	}
	return first
}

// splitProperty returns the type and the raw value of one element of a blob's properties.
func splitProperty(element []byte) (kind string, value []byte, err error) {
	err = object(element, func(key, raw []byte) (err error) {
		switch {
		case matchesKey(key, "type"):
			kind, err = text(raw)
		case matchesKey(key, "value"):
			value = raw
		}
		return err
	})
	return kind, value, err
}

func (b *blob) addDeprecations(builder *Builder) error {
	deprecations, err := readDeprecations(b.entries)
	if err == nil {
		builder.AddDeprecations(b.pkg, deprecations)
	}
	return err
}

func optionalText(raw []byte) (string, error) {
	if raw == nil {
		return "", nil
	}
	return text(raw)
}

// matchesKey reports whether a key is equal to a name, ignoring case. encoding/json compares keys in the same way, and so does every tool
// that reads catalogs.
func matchesKey(key []byte, name string) bool {
	return len(key) >= len(name) && (string(key) == name || strings.EqualFold(string(key), name))
}

// syntaxError returns the error of encoding/json for raw, because that error includes the position. It returns errMalformed if raw is valid
// JSON.
func syntaxError(raw []byte) error {
	var any json.RawMessage
	if err := json.Unmarshal(bytes.TrimSpace(raw), &any); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return fmt.Errorf("reading JSON: %w (byte %d)", err, syntax.Offset)
		}
		return fmt.Errorf("reading JSON: %w", err)
	}
	return errMalformed
}
