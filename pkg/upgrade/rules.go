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

// Schema is the schema of the blob, or of the property on a bundle, that holds a package's rules.
const Schema = "io.openshift.operators.upgrades.v1alpha1"

// Bounds of what one blob may hold.
const (
	maxRules  = 64 << 10 // bytes
	maxSteps  = 32
	maxRange  = 256
	maxReason = 256
)

// Semantics says which edges a package has.
type Semantics string

// The semantics of a package.
const (
	// Channel: what replaces, skips and skipRange of the channels' entries say.
	Channel Semantics = "channel"
	// Semver: what semantic versions promise.
	Semver Semantics = "semver"
	// Both: every edge of either.
	Both Semantics = "both"
)

// Select says how much of a step's range has to be passed through.
type Select string

const (
	// Any: some version in the range.
	Any Select = "any"
	// Latest: the newest version in the range that is neither a pre-release nor deprecated and that the cluster may run,
	// judged when the hop is made.
	Latest Select = "latest"
)

// Rules are what a package's author says of upgrades.
type Rules struct {
	// Where is how messages name them: the blob or property, and the catalog that has it.
	Where string
	// Semantics are those of the package; Unsaid that the author did not say which, so that they are Semver.
	Semantics Semantics
	Unsaid    bool
	// Steps must all hold.
	Steps []Step
}

// Step is one guardrail: whoever has been ready at a version in From may go to one in To only after having been ready at one in
// Through. Whoever is at a version in To already is past it.
type Step struct {
	From, To, Through Range
	Select            Select
	// Reason is the author's, for people.
	Reason string
}

// Range is a range of versions.
type Range struct {
	text       string
	constraint *semver.Constraints
	// comparisons is how many comparisons with a version it has.
	comparisons int
}

// stepsOfComparison is how many steps of work a comparison costs: where it fails, the library makes an error with a message.
const stepsOfComparison = 50

// work is how many steps of work it takes to find out whether a version is in the range.
func (r Range) work() int { return r.comparisons * stepsOfComparison }

// ParseRange reads a range as it is written in spec.package.version and in rules.
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

// has says whether a version is in the range, pre-releases counting like any version.
func (r Range) has(v Version) bool { return r.constraint.Check(v.semantic) }

// guards says whether a guardrail with this range concerns a version: a pre-release also where its release would be. Else
// 1.4.0-rc.1 would slip under "to: >=1.4.0".
func (r Range) guards(v Version) bool {
	return r.has(v) || v.Prerelease() && r.constraint.Check(v.released())
}

// document is the blob as it is written. Whatever it has beside these fields makes it unreadable: a guardrail that is not
// understood must not be taken for one that permits.
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

// ReadRules reads a package's rules from the JSON of a blob or property with the given schema. The error says what of it
// cannot be read.
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
		return Rules{}, errors.New("reading it: " + clip(err.Error(), maxCause)) // it may quote what was read
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
		rules.Semantics, rules.Unsaid = Semver, true
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
			{"from", written.From, ">=0.0.0-0", &step.From}, // whatever is installed
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

// clip cuts text that others wrote to so many bytes, on one line.
func clip(text string, most int) string {
	return truncate.OneLine(text, most)
}
