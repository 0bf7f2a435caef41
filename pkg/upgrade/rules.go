package upgrade

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// Schema is the schema of the blob, or the type of the bundle property, that contains a package's rules.
const Schema = "io.openshift.operators.upgrades.v1alpha1"

// Limits of one blob: its maximum size (maxRules), the maximum number of its steps, and the maximum sizes of a range and of a reason. Sizes
// are in bytes.
const (
	maxRules  = 64 << 10 // bytes
	maxSteps  = 32
	maxRange  = 256
	maxReason = 256
)

// Semantics determine the edges of a package.
type Semantics string

// The semantics of a package.
const (
	// Channel: the edges that replaces, skips and skipRange of the channels' entries declare.
	Channel Semantics = "channel"
	// Semver: the edges that semantic versioning permits.
	Semver Semantics = "semver"
	// Both: the edges that Channel or Semver permits.
	Both Semantics = "both"
)

// Select determines which versions in a step's Through range satisfy the step.
type Select string

const (
	// Any: every version in the range.
	Any Select = "any"
	// Latest: the newest version in the range that is neither a pre-release nor deprecated and that the cluster may run, at the time of the
	// hop.
	Latest Select = "latest"
)

// Rules are a package author's upgrade rules.
type Rules struct {
	// Location identifies the rules in messages: the blob or property, and its catalog.
	Location string
	// Semantics are the semantics of the package. SemanticsUnset reports whether the author did not set them; in that case they are Semver.
	Semantics      Semantics
	SemanticsUnset bool
	// Steps are the upgrade steps of the rules. All of them must be satisfied.
	Steps []Step
}

// Step is one upgrade rule: an operator that has been ready at a version in From may go to a version in To only after it has been ready at
// a version in Through. The step does not apply to an operator that is already at a version in To.
type Step struct {
	From, To, Through Range
	Select            Select
	// Reason is the author's explanation; empty if there is none.
	Reason string
}

// Range is a range of versions, parsed by ParseRange.
type Range struct {
	text       string
	constraint *semver.Constraints
	// comparisons is the approximate number of comparisons needed to check a version.
	comparisons int
}

// comparisonCost is the number of work steps that a comparison counts as. It is high, because the library formats an error for each
// comparison that fails.
const comparisonCost = 50

// cost returns the number of work steps that it takes to check whether a version is in the range.
func (r Range) cost() int { return r.comparisons * comparisonCost }

// ParseRange parses a range in the syntax of spec.package.version and of rules. It returns an error if the range is invalid or longer than
// 256 bytes.
func ParseRange(text string) (Range, error) {
	if len(text) > maxRange {
		return Range{}, fmt.Errorf("%s is not a version range: it has more than %d characters", truncate.Quote(text), maxRange)
	}
	constraint, err := semver.NewConstraint(text)
	if err != nil {
		return Range{}, fmt.Errorf("%s is not a version range: %w", truncate.Quote(text), err)
	}
	constraint.IncludePrerelease = true
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,|", r) })
	return Range{text: text, constraint: constraint, comparisons: len(words)}, nil
}

func (r Range) String() string { return r.text }

// contains reports whether a version is in the range. It treats a pre-release like any other version.
func (r Range) contains(v Version) bool { return r.constraint.Check(v.semantic) }

// appliesTo reports whether a rule with this range applies to a version. It also applies to a pre-release whose release is in the range:
// otherwise 1.4.0-rc.1 would not match "to: >=1.4.0".
func (r Range) appliesTo(v Version) bool {
	return r.contains(v) || v.IsPrerelease() && r.constraint.Check(v.released())
}

// document is the JSON of the blob. Unknown fields are errors, because a rule that is not understood must not be ignored.
type document struct {
	Schema    string    `json:"schema"`
	Package   *string   `json:"package"`
	Name      string    `json:"name"`
	Semantics Semantics `json:"semantics"`
	Steps     []struct {
		From    string `json:"from"`
		To      string `json:"to"`
		Through string `json:"through"`
		Select  Select `json:"select"`
		Reason  string `json:"reason"`
	} `json:"steps"`
}

// ReadRules parses a package's rules from the JSON of a blob or property with the given schema. The error names the invalid part. The
// caller must set Location.
func ReadRules(pkg, schema string, raw []byte) (Rules, error) {
	if schema != Schema {
		return Rules{}, fmt.Errorf("its schema %s is not known, only %q is: a newer manager may read it", truncate.Quote(schema), Schema)
	}
	if len(raw) > maxRules {
		return Rules{}, fmt.Errorf("it has more than %d bytes", maxRules)
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	var d *document
	if err := decoder.Decode(&d); err != nil {
		if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) && wrong.Value == "number" && wrong.Type.Kind() == reflect.String {
			return Rules{}, fmt.Errorf(`reading it: %s is a number, and text is wanted: write it in quotes, like "1.3"`, clip(wrong.Field, maxCause))
		}
		return Rules{}, errors.New("reading it: " + clip(err.Error(), maxCause)) // the error may quote the input
	}
	if d == nil {
		return Rules{}, errors.New("it is null, and no object")
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Rules{}, errors.New("there is something after it")
	}
	if d.Package != nil && *d.Package != pkg {
		return Rules{}, fmt.Errorf("it is for package %s, and stands with package %q", truncate.Quote(*d.Package), pkg)
	}
	if d.Schema != "" && d.Schema != schema {
		return Rules{}, fmt.Errorf("its schema is %s in one place and %s in another", truncate.Quote(d.Schema), truncate.Quote(schema))
	}
	return d.rules()
}

func (d *document) rules() (Rules, error) {
	rules := Rules{Semantics: d.Semantics}
	switch d.Semantics {
	case "":
		rules.Semantics, rules.SemanticsUnset = Semver, true
	case Semver, Channel, Both:
	default:
		return Rules{}, fmt.Errorf("semantics: %s is none of %q, %q, %q", truncate.Quote(d.Semantics), Semver, Channel, Both)
	}
	if len(d.Steps) > maxSteps {
		return Rules{}, fmt.Errorf("steps: there are %d, and at most %d are read", len(d.Steps), maxSteps)
	}
	for i, written := range d.Steps {
		step := Step{Select: written.Select, Reason: clip(written.Reason, maxReason)}
		switch step.Select {
		case "":
			step.Select = Any
		case Any, Latest:
		default:
			return Rules{}, fmt.Errorf("steps[%d].select: %s is neither %q nor %q", i, truncate.Quote(written.Select), Any, Latest)
		}
		for _, field := range []struct {
			name, text, absent string
			into               *Range
		}{
			{"from", written.From, ">=0.0.0-0", &step.From}, // any installed version
			{"to", written.To, "", &step.To},
			{"through", written.Through, "", &step.Through},
		} {
			text := strings.TrimSpace(field.text)
			if text == "" {
				text = field.absent
			}
			if text == "" {
				return Rules{}, fmt.Errorf("steps[%d].%s is missing", i, field.name)
			}
			parsed, err := ParseRange(text)
			if err != nil {
				return Rules{}, fmt.Errorf("steps[%d].%s: %w", i, field.name, err)
			}
			*field.into = parsed
		}
		rules.Steps = append(rules.Steps, step)
	}
	return rules, nil
}

// clip returns a text on one line, shortened to at most the given number of bytes.
func clip(text string, most int) string {
	return truncate.OneLine(text, most)
}
