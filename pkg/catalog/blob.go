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

// blob is one object of the stream: its identity, and the raw fields that are decoded only when its package is wanted.
type blob struct {
	schema, pkg, name                          string
	defaultChannel, entries, image, properties []byte
	// raw is the complete blob. It is nil for a large blob, of which only the fields above are in memory.
	raw   []byte
	large bool
	// omittedErr is why entries or properties of a large blob are missing.
	omittedErr error
}

// parse finds the fields of a blob and decodes only its identity.
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
	return fmt.Errorf("key %q is there twice (keys that differ in case only are the same)", field)
}

// fieldNames are the fields of a blob that are read.
var fieldNames = [...]string{"schema", "package", "name", "defaultChannel", "entries", "image", "properties"}

// fieldName returns the canonical spelling of a key, empty for a key that is not used.
func fieldName(key []byte) string {
	for _, name := range fieldNames {
		if matchesKey(key, name) {
			return name
		}
	}
	return ""
}

// field stores the value of a key and returns the key's canonical spelling, empty for a key that is not used.
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

// owner returns the package that the blob belongs to: empty for an unknown schema and for a blob without a package.
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

// label identifies the blob in errors by the identity fields that it has.
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

// title identifies the blob in faults of its package: by its name, or by its number in the stream if it has none.
func (b *blob) title(n int) string {
	if b.name == "" {
		return fmt.Sprintf("%s in blob %d", b.schema, n)
	}
	return b.schema + " " + truncate.Quote(b.name)
}

// addTo decodes the blob into the builder. It returns an error if the blob does not have the shape of its schema.
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

// addChannel iterates over a long list of entries twice: if one of them is invalid, none is used. They are not decoded at once, because a
// list of "{}" takes eighty times its size in memory.
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

// eachEntry calls f with each entry of a channel, counted from 1, up to one more than a package may have.
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

// errLimitReached ends the iteration over a list when the package's limit is reached.
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

// addProperties reads all properties, even after an error: upgrade rules apply to the package, even if their bundle is
// unusable. It returns the first error.
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

// splitProperty decodes one element of a blob's properties.
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

// matchesKey compares a key without regard to case, as encoding/json does, and so do all tools that read catalogs.
func matchesKey(key []byte, name string) bool {
	return len(key) >= len(name) && (string(key) == name || strings.EqualFold(string(key), name))
}

// syntaxError returns encoding/json's error for raw, because it has the position.
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
