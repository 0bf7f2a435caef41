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

// UpgradeSchemaPrefix begins the schemas of upgrade rules; what follows is the schema's version.
const UpgradeSchemaPrefix = "io.openshift.operators.upgrades."

const (
	// maxUpgradeRules is how many different rules of a package are kept. More than one are a contradiction already.
	maxUpgradeRules = 8
	// maxRules bounds the canonical form of one blob of rules.
	maxRules = 64 << 10
	// maxRuleValues bounds the values of such a blob: each takes many times its bytes while it is read. The 32 steps that a package
	// may have are some two hundred.
	maxRuleValues = 4_000
	// sizeOfRuleValue is what a value takes meanwhile: a map of one key for every two of them.
	sizeOfRuleValue = 256
	// maxRawRules is how large a blob may be to be put into canonical form at all.
	maxRawRules = maxWindow
)

// UpgradeRules is one blob of a schema that begins with UpgradeSchemaPrefix, as it was found. Whether it says anything that
// can be followed is judged by who reads it.
type UpgradeRules struct {
	// Schema is the whole name of the schema, whatever follows the prefix.
	Schema string
	// Where is how a message names it: `blob <schema>` or `property <schema> of bundle "<name>"`. Of several places that say
	// the same, it is the first in the order of text.
	Where string
	// Raw is the blob as JSON in a form that is the same for equal values: keys sorted, no white space. It has always a
	// schema and a package: those that it names itself, else those of where it was found. It is at most 64 KiB long; of a
	// longer blob it is the beginning, and of one that cannot be read it is empty. Then Fault says so.
	Raw string
	// Fault is why the blob cannot be relied on at all: no object, too long, keys that are there twice. Else empty.
	Fault string
}

// IsUpgradeSchema reports whether a schema, or the type of a property, is that of upgrade rules.
func IsUpgradeSchema(schema string) bool { return strings.HasPrefix(schema, UpgradeSchemaPrefix) }

// AddUpgradeRules adds a blob of upgrade rules to a package: raw JSON, found as a property of the named bundle, or by itself
// where bundle is empty.
func (b *Builder) AddUpgradeRules(pkg, schema, bundle string, raw []byte) {
	d := b.draft(pkg)
	if !d.fits(subject{"upgrade rules of schema", schema}, field{"schema", schema}) {
		return
	}
	rules := UpgradeRules{Schema: schema, Where: "blob " + schema}
	if bundle != "" {
		rules.Where = fmt.Sprintf("property %s of bundle %s", schema, truncate.Quote(bundle))
	}
	values := countValues(raw)
	if !d.keep(values * sizeOfRuleValue) {
		return
	}
	whole := rules.read(pkg, raw)
	d.release(values * sizeOfRuleValue)
	d.addRules(rules, whole)
}

// addLargeRules adds a blob of upgrade rules that is larger than the window.
func (b *Builder) addLargeRules(pkg, schema string) {
	b.draft(pkg).addRules(UpgradeRules{Schema: schema, Where: "blob " + schema, Fault: fmt.Sprintf("it is larger than %d bytes", maxRawRules)}, nil)
}

func (d *draft) addRules(rules UpgradeRules, whole []byte) {
	// The sum of the whole tells two apart of which the kept part is the same.
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q %x", rules.Schema, rules.Raw, rules.Fault, sha256.Sum256(whole))
	key := string(sum.Sum(nil))
	before, ok := d.rules[key]
	if ok {
		rules.Where = min(rules.Where, before.Where)
	} else if !d.keep(rules.size()) {
		return
	}
	d.rules[key] = rules
	if len(d.rules) > maxUpgradeRules {
		// Which came first is an accident of the stream; the same ones must stay every time.
		last := slices.Max(slices.Collect(maps.Keys(d.rules)))
		lastRules := d.rules[last]
		d.release(lastRules.size())
		delete(d.rules, last)
		d.fault("there are more than %d different blobs of upgrade rules", maxUpgradeRules)
	}
}

// read sets Raw and Fault, and returns what tells the blob from others.
func (r *UpgradeRules) read(pkg string, raw []byte) []byte {
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
		r.Fault = fmt.Sprintf("it is %d bytes long, more than %d", len(form), maxRules)
	}
	return form
}

// countValues is how many values a blob has, at most one more than are read.
func countValues(raw []byte) int {
	values := bytes.Count(raw, []byte(",")) + bytes.Count(raw, []byte("[")) + bytes.Count(raw, []byte("{"))
	return min(values, maxRuleValues+1)
}

// size is what the rules take in memory.
func (r *UpgradeRules) size() int {
	return sizeOfEntry + len(r.Schema) + len(r.Where) + len(r.Raw) + len(r.Fault)
}

// buildRules returns the rules in an order that depends on what they say only.
func (d *draft) buildRules() []UpgradeRules {
	return slices.SortedFunc(maps.Values(d.rules), func(a, b UpgradeRules) int {
		return cmp.Or(cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Raw, b.Raw), cmp.Compare(a.Fault, b.Fault), cmp.Compare(a.Where, b.Where))
	})
}
