package parity

import (
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

//go:embed recordings
var recordingFiles embed.FS

//go:embed differences.yaml
var differencesFile []byte

// Recorded returns what a real API server answered to a sequence's requests, by their names.
func Recorded(sequence string) (map[string]Answer, error) {
	content, err := recordingFiles.ReadFile("recordings/" + sequence + ".yaml")
	if err != nil {
		return nil, err
	}
	answers := map[string]Answer{}
	if err := yaml.UnmarshalStrict(content, &answers); err != nil {
		return nil, fmt.Errorf("reading the recording of %q: %w", sequence, err)
	}
	return answers, nil
}

// Record writes a sequence's answers to the folder of recordings, which the caller's program embeds when it is built again.
func Record(folder, sequence string, answers map[string]Answer) error {
	content, err := yaml.Marshal(answers)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, sequence+".yaml"), content, 0o600)
}

// Difference is where the server in memory may answer otherwise than a real one.
type Difference struct {
	// Reason says why.
	Reason string `json:"reason"`
	// Fields are where, each as sequence/request/field.path. A part of what a field contains is covered too.
	Fields []string `json:"fields"`
	// WithKubernetesRegistries says that a server in memory on Kubernetes' own registries differs as well.
	WithKubernetesRegistries bool `json:"withKubernetesRegistries,omitempty"`
}

// Differences returns all that are allowed.
func Differences() ([]Difference, error) {
	var differences []Difference
	if err := yaml.UnmarshalStrict(differencesFile, &differences); err != nil {
		return nil, fmt.Errorf("reading the allowed differences: %w", err)
	}
	return differences, nil
}

// Mismatch is a field of an answer that is not as recorded.
type Mismatch struct {
	// Field is sequence/request/field.path.
	Field string
	// Recorded and Got are the field's values as JSON, or "nothing".
	Recorded, Got string
}

// String says what differs, on a line.
func (m Mismatch) String() string {
	return fmt.Sprintf("%s: recorded %s, got %s", m.Field, m.Recorded, m.Got)
}

// Covers reports whether the difference allows a mismatch.
func (d Difference) Covers(m Mismatch) bool {
	return slices.ContainsFunc(d.Fields, func(field string) bool { return covers(field, m.Field) })
}

func covers(field, mismatch string) bool {
	return field == mismatch || strings.HasPrefix(mismatch, field+".") || strings.HasPrefix(mismatch, field+"/")
}

// Compare returns where answers to a sequence's requests are not as recorded. Of answers whose status codes differ it compares nothing
// else.
func Compare(sequence string, recorded, got map[string]Answer) ([]Mismatch, error) {
	var mismatches []Mismatch
	for _, name := range union(recorded, got) {
		if recorded[name].Code != got[name].Code {
			mismatches = append(mismatches, Mismatch{
				Field: sequence + "/" + name + "/code", Recorded: strconv.Itoa(recorded[name].Code), Got: strconv.Itoa(got[name].Code) + " " + text(got[name].Body),
			})
			continue
		}
		was, err := values(recorded[name])
		if err != nil {
			return nil, err
		}
		is, err := values(got[name])
		if err != nil {
			return nil, err
		}
		compare(sequence+"/"+name+"/", "", was, is, &mismatches)
	}
	return mismatches, nil
}

// absent is the value of a field that an answer lacks.
type absent struct{}

func compare(request, path string, recorded, got any, mismatches *[]Mismatch) {
	if reflect.DeepEqual(recorded, got) {
		return
	}
	was, wasObject := recorded.(map[string]any)
	is, isObject := got.(map[string]any)
	if !wasObject || !isObject {
		*mismatches = append(*mismatches, Mismatch{Field: request + path, Recorded: text(recorded), Got: text(got)})
		return
	}
	for _, name := range union(was, is) {
		inner := strings.TrimPrefix(path+"."+name, ".")
		compare(request, inner, valueOr(was, name), valueOr(is, name), mismatches)
	}
}

func valueOr(object map[string]any, name string) any {
	if value, found := object[name]; found {
		return value
	}
	return absent{}
}

// values returns an answer as JSON's values, with lists as objects by position.
func values(answer Answer) (any, error) {
	content, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	var value any
	if err := json.Unmarshal(content, &value); err != nil {
		return nil, err
	}
	return positions(value), nil
}

func positions(value any) any {
	object := map[string]any{}
	switch value := value.(type) {
	case map[string]any:
		for name, inner := range value {
			object[name] = positions(inner)
		}
	case []any:
		for i, inner := range value {
			object[strconv.Itoa(i)] = positions(inner)
		}
	default:
		return value
	}
	return object
}

func text(value any) string {
	if value == (absent{}) {
		return "nothing"
	}
	content, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(content)
}

func union[V any](a, b map[string]V) []string {
	var names []string
	for name := range a {
		names = append(names, name)
	}
	for name := range b {
		if _, both := a[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
