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

// Recorded returns the recorded responses of a sequence, keyed by request name. It returns an error if the sequence has no recording.
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

// Record writes the responses to a sequence to a file in folder. Recorded does not return them until the program is rebuilt, because
// recordings are embedded in the program.
func Record(folder, sequence string, answers map[string]Answer) error {
	content, err := yaml.Marshal(answers)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, sequence+".yaml"), content, 0o600)
}

// Difference is a permitted difference between the API server in memory and a real one.
type Difference struct {
	// Reason explains the difference.
	Reason string `json:"reason"`
	// Fields are the fields that may differ, each as sequence/request/field.path. A path includes all fields below it.
	Fields []string `json:"fields"`
	// WithKubernetesRegistries is true if the difference also occurs when the API server in memory has Kubernetes' registries; see
	// test/registries.
	WithKubernetesRegistries bool `json:"withKubernetesRegistries,omitempty"`
}

// Differences returns the permitted differences from differences.yaml.
func Differences() ([]Difference, error) {
	var differences []Difference
	if err := yaml.UnmarshalStrict(differencesFile, &differences); err != nil {
		return nil, fmt.Errorf("reading the allowed differences: %w", err)
	}
	return differences, nil
}

// Mismatch is a field of a response that differs from the recording.
type Mismatch struct {
	// Field is sequence/request/field.path.
	Field string
	// Recorded and Got are the field's values as JSON, or "nothing" if the field is absent. If the field is a status code, Got also
	// contains the response's body.
	Recorded, Got string
}

// String returns the field and both values on one line.
func (m Mismatch) String() string {
	return fmt.Sprintf("%s: recorded %s, got %s", m.Field, m.Recorded, m.Got)
}

// Covers reports whether the difference allows a mismatch.
func (d Difference) Covers(m Mismatch) bool {
	return slices.ContainsFunc(d.Fields, func(field string) bool { return coversField(field, m.Field) })
}

func coversField(field, mismatch string) bool {
	return field == mismatch || strings.HasPrefix(mismatch, field+".") || strings.HasPrefix(mismatch, field+"/")
}

// Compare returns the fields in which a sequence's responses differ from the recording. If the status codes of a response differ, it
// reports only the code. A missing response has code 0.
func Compare(sequence string, recorded, got map[string]Answer) ([]Mismatch, error) {
	var mismatches []Mismatch
	for _, name := range unionOfKeys(recorded, got) {
		if recorded[name].Code != got[name].Code {
			mismatches = append(mismatches, Mismatch{
				Field: sequence + "/" + name + "/code", Recorded: strconv.Itoa(recorded[name].Code), Got: strconv.Itoa(got[name].Code) + " " + jsonText(got[name].Body),
			})
			continue
		}
		recordedValue, err := values(recorded[name])
		if err != nil {
			return nil, err
		}
		is, err := values(got[name])
		if err != nil {
			return nil, err
		}
		compare(sequence+"/"+name+"/", "", recordedValue, is, &mismatches)
	}
	return mismatches, nil
}

// absent stands for the value of a field that does not exist, which is different from null.
type absent struct{}

func compare(request, path string, recorded, got any, mismatches *[]Mismatch) {
	if reflect.DeepEqual(recorded, got) {
		return
	}
	recordedValue, wasObject := recorded.(map[string]any)
	is, isObject := got.(map[string]any)
	if !wasObject || !isObject {
		*mismatches = append(*mismatches, Mismatch{Field: request + path, Recorded: jsonText(recorded), Got: jsonText(got)})
		return
	}
	for _, name := range unionOfKeys(recordedValue, is) {
		inner := strings.TrimPrefix(path+"."+name, ".")
		compare(request, inner, valueOr(recordedValue, name), valueOr(is, name), mismatches)
	}
}

func valueOr(object map[string]any, name string) any {
	if value, found := object[name]; found {
		return value
	}
	return absent{}
}

// values returns an answer as decoded JSON for compare. Each list is replaced with an object whose keys are the indexes, so that compare
// needs no case for lists.
func values(answer Answer) (any, error) {
	content, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	var value any
	if err := json.Unmarshal(content, &value); err != nil {
		return nil, err
	}
	return indexLists(value), nil
}

func indexLists(value any) any {
	object := map[string]any{}
	switch value := value.(type) {
	case map[string]any:
		for name, inner := range value {
			object[name] = indexLists(inner)
		}
	case []any:
		for i, inner := range value {
			object[strconv.Itoa(i)] = indexLists(inner)
		}
	default:
		return value
	}
	return object
}

func jsonText(value any) string {
	if value == (absent{}) {
		return "nothing"
	}
	content, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(content)
}

func unionOfKeys[V any](a, b map[string]V) []string {
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
