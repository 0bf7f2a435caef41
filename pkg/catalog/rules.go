package catalog

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// UpgradeSchemaPrefix is the prefix of the schemas of upgrade rules. The schema's version follows it.
const UpgradeSchemaPrefix = "io.openshift.operators.upgrades."

const (
	// maxUpgradeRules is the maximum number of different upgrade rules that are retained for a package. More than one is already a
	// contradiction.
	maxUpgradeRules = 8
	// maxRules is the maximum size of the canonical form of one blob of rules, in bytes.
	maxRules = 64 << 10
	// maxRuleValues is the maximum number of JSON values in such a blob. It is needed because each value takes many times its size while it
	// is decoded. The 32 steps that a package may have take about two hundred values.
	maxRuleValues = 4_000
	// sizeOfRuleValue is the size of a value in memory while it is decoded, in bytes. The most expensive form is a list of objects with one
	// key each, in which each object counts as two values.
	sizeOfRuleValue = 256
	// maxRawRules is the maximum size of a blob that is converted to canonical form, in bytes.
	maxRawRules = maxWindow
)

// UpgradeRules is a blob, or a property of a bundle, whose schema begins with UpgradeSchemaPrefix. pkg/upgrade interprets it.
type UpgradeRules struct {
	// Schema is the complete name of the schema.
	Schema string
	// Location identifies the blob in messages: `blob <schema>` or `property <schema> of bundle "<name>"`. If several blobs are equal, it
	// is the first of their locations in lexical order.
	Location string
	// Raw is the blob as JSON in canonical form, which is the same for equal values: keys sorted, no white space. It always has a schema
	// and a package: its own, or those of its location. It has at most 64 KiB. A longer blob is truncated, and an unreadable one is empty;
	// in both cases Fault is set.
	Raw string
	// Fault is the reason why the blob is unreliable: it is not an object, is too long, or has duplicate keys. It is empty for a reliable
	// blob.
	Fault string
}

// IsUpgradeSchema reports whether a schema, or the type of a property, is that of upgrade rules of any version.
func IsUpgradeSchema(schema string) bool { return strings.HasPrefix(schema, UpgradeSchemaPrefix) }

// AddUpgradeRules adds upgrade rules, as raw JSON, to a package. bundle is the name of the bundle whose property contains the rules; it is
// empty for rules in a blob of their own. Unreadable rules are added with a Fault.
func (b *Builder) AddUpgradeRules(pkg, schema, bundle string, raw []byte) {
	d := b.packageBuilder(pkg)
	if !d.checkLengths(subject{"upgrade rules of schema", schema}, field{"schema", schema}) {
		return
	}
	rules := UpgradeRules{Schema: schema, Location: "blob " + schema}
	if bundle != "" {
		rules.Location = fmt.Sprintf("property %s of bundle %s", schema, truncate.Quote(bundle))
	}
	values := countValues(raw)
	if !d.reserve(values * sizeOfRuleValue) {
		return
	}
	content := rules.parse(pkg, raw)
	d.release(values * sizeOfRuleValue)
	d.addRules(rules, content)
}

// addLargeRules adds an entry with a Fault for a blob of upgrade rules that is larger than the window and was not read.
func (b *Builder) addLargeRules(pkg, schema string) {
	b.packageBuilder(pkg).addRules(UpgradeRules{Schema: schema, Location: "blob " + schema, Fault: fmt.Sprintf("it is larger than %d bytes", maxRawRules)}, nil)
}

func (d *packageBuilder) addRules(rules UpgradeRules, content []byte) {
	// The digest of the content distinguishes blobs that are equal after truncation.
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q %x", rules.Schema, rules.Raw, rules.Fault, sha256.Sum256(content))
	key := string(sum.Sum(nil))
	before, ok := d.rules[key]
	if ok {
		rules.Location = min(rules.Location, before.Location)
	} else if !d.reserve(rules.size()) {
		return
	}
	d.rules[key] = rules
	if len(d.rules) > maxUpgradeRules {
		// The order of the stream is arbitrary, and the choice of the omitted rules must not depend on it.
		last := slices.Max(slices.Collect(maps.Keys(d.rules)))
		lastRules := d.rules[last]
		d.release(lastRules.size())
		delete(d.rules, last)
		d.addFault(tooMany, maxUpgradeRules, "different blobs of upgrade rules", "keep only one")
	}
}

// parse sets Raw and Fault from the raw JSON of a package's rules. It returns the content that the caller uses to compare these rules with
// others.
func (r *UpgradeRules) parse(pkg string, raw []byte) []byte {
	if len(raw) > maxRawRules {
		var compact bytes.Buffer
		if json.Compact(&compact, raw) == nil {
			raw = compact.Bytes()
		}
	}
	if len(raw) > maxRawRules {
		r.Fault = fmt.Sprintf("it is larger than %d bytes", maxRawRules)
		return raw
	}
	if countValues(raw) > maxRuleValues {
		r.Fault = fmt.Sprintf("it has more than %d values", maxRuleValues)
		return raw
	}
	form, err := canonical(raw, map[string]string{"schema": r.Schema, "package": pkg})
	if err != nil {
		r.Fault = truncate.Bytes(err.Error(), maxSentence)
		return raw
	}
	r.Raw = string(form)
	if len(form) > maxRules {
		r.Raw = strings.ToValidUTF8(string(form[:maxRules]), "")
		r.Fault = fmt.Sprintf("it has %d bytes, but at most %d are allowed", len(form), maxRules)
	}
	return form
}

// countValues returns the approximate number of JSON values in a blob, at most maxRuleValues+1.
func countValues(raw []byte) int {
	values := bytes.Count(raw, []byte(",")) + bytes.Count(raw, []byte("[")) + bytes.Count(raw, []byte("{"))
	return min(values, maxRuleValues+1)
}

// size returns the size of the rules in memory, in bytes.
func (r *UpgradeRules) size() int {
	return sizeOfEntry + len(r.Schema) + len(r.Location) + len(r.Raw) + len(r.Fault)
}

// buildRules returns the rules, sorted by their content.
func (d *packageBuilder) buildRules() []UpgradeRules {
	return slices.SortedFunc(maps.Values(d.rules), func(a, b UpgradeRules) int {
		return cmp.Or(cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Raw, b.Raw), cmp.Compare(a.Fault, b.Fault), cmp.Compare(a.Location, b.Location))
	})
}
