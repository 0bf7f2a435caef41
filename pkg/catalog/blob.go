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

// blob is one object of the stream: its identity, and the raw fields that are read when its package is wanted.
type blob struct {
	schema, pkg, name                          string
	defaultChannel, entries, image, properties []byte
	// raw is the whole blob; nil for a large one, of which only what is read of the fields above is there.
	raw   []byte
	large bool
	// refused is why entries or properties of a large blob are not there.
	refused error
}

// parse finds the fields of a blob without decoding more than its identity.
func parse(raw []byte) (blob, error) {
	b := blob{raw: raw}
	var room [8]string
	seen := room[:0]
	err := object(raw, func(key, value []byte) (err error) {
		field := b.field(key, value, &err)
		if field == "" || err != nil {
			return err
		}
		if slices.Contains(seen, field) {
			return twice(field)
		}
		seen = append(seen, field)
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

func twice(field string) error {
	return fmt.Errorf("key %q is there twice (keys that differ in case only are the same)", field)
}

// fieldNames are the fields of a blob that are read.
var fieldNames = [...]string{"schema", "package", "name", "defaultChannel", "entries", "image", "properties"}

// fieldName gives a key that is read its proper spelling; any other is empty.
func fieldName(key []byte) string {
	for _, name := range fieldNames {
		if is(key, name) {
			return name
		}
	}
	return ""
}

// field stores the value of a key that is read and returns the key's proper spelling, empty for any other key.
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

// owner is the package that the blob belongs to, empty for a schema that is not read and for a blob that names none.
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

// label names the blob in errors, as far as it could be read.
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

// title names the blob in faults of its package: by its name, or by its number in the stream where it has none.
func (b *blob) title(n int) string {
	if b.name == "" {
		return fmt.Sprintf("%s in blob %d", b.schema, n)
	}
	return b.schema + " " + truncate.Quote(b.name)
}

// addTo decodes the blob into the builder; an error says that it has not the shape of its schema.
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
	channel, err := optional(b.defaultChannel)
	if err != nil {
		return fmt.Errorf("defaultChannel: %w", err)
	}
	builder.AddPackage(b.name, channel)
	return nil
}

// addChannel goes through a long list of entries twice: none of them counts when one has not the shape of an entry, and they are not
// decoded all at once, because a list of "{}" would take eighty times its size.
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
	if shortList(b.entries, &entries) {
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
		if n++; n > maxPieces {
			return errEnough
		}
		var entry Entry
		if err := json.Unmarshal(element, &entry); err != nil {
			return fmt.Errorf("entry %d: %w", n, err)
		}
		f(n, entry)
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// errEnough ends a list of which no more is kept.
var errEnough = errors.New("no more is kept")

func (b *blob) addBundle(builder *Builder) error {
	if b.name == "" {
		return errors.New("it has no name")
	}
	bundle := Bundle{Name: b.name}
	var err error
	if bundle.Image, err = optional(b.image); err != nil {
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

// addProperties goes through all properties whatever is wrong with one of them: upgrade rules hold for the package, even
// when the bundle that brings them cannot be used. It returns the first error.
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

// splitProperty reads one element of a blob's properties.
func splitProperty(element []byte) (kind string, value []byte, err error) {
	err = object(element, func(key, raw []byte) (err error) {
		switch {
		case is(key, "type"):
			kind, err = text(raw)
		case is(key, "value"):
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

func optional(raw []byte) (string, error) {
	if raw == nil {
		return "", nil
	}
	return text(raw)
}

// is compares a key as encoding/json does, and with it every tool that reads catalogs: case does not matter.
func is(key []byte, name string) bool {
	return len(key) >= len(name) && (string(key) == name || strings.EqualFold(string(key), name))
}

// syntaxError asks encoding/json what is wrong, since it says where.
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
