package registryv1

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/operator-framework/api/pkg/lib/version"
	"github.com/operator-framework/api/pkg/operators/v1alpha1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/truncate"
)

// isCSV reports whether an object is the ClusterServiceVersion, whatever its group and version: some authors have written different ones,
// and OLM compares only the kind. A custom resource that the bundle itself defines is not the ClusterServiceVersion.
func (b *Bundle) isCSV(o bundle.Object) bool {
	if o.GetKind() != v1alpha1.ClusterServiceVersionKind {
		return false
	}
	kind := groupKind(o) // empty if the apiVersion is invalid
	_, defined := b.definitions[kind]
	return kind.Group == v1alpha1.GroupName || !defined
}

// setCSV decodes the ClusterServiceVersion as one of operators.coreos.com/v1alpha1, the only version that exists. It adds a warning if the
// manifest has a different apiVersion.
func (b *Bundle) setCSV(o bundle.Object) error {
	b.csvFile = o.File
	if o.GetAPIVersion() != v1alpha1.ClusterServiceVersionAPIVersion {
		b.csvReadAs = fmt.Sprintf("has apiVersion %s and was read as %s",
			truncate.Quote(o.GetAPIVersion()), v1alpha1.ClusterServiceVersionAPIVersion)
		b.meta.Warnings = append(b.meta.Warnings, fmt.Sprintf("%s %s; set that apiVersion", o, b.csvReadAs))
	}
	var err error
	if b.csv, err = decodeCSV(o.Object); err != nil {
		return fmt.Errorf("decoding %s: %w", o, b.explainCSV(err))
	}
	return nil
}

// explainCSV adds to an error that the ClusterServiceVersion was read as another apiVersion than it has, which may be the cause. It returns
// the error unchanged if the apiVersion is correct.
func (b *Bundle) explainCSV(err error) error {
	if err == nil || b.csvReadAs == "" {
		return err
	}
	return fmt.Errorf("%w; %s %s", err, b.csvFile, b.csvReadAs)
}

// maxCSVValues is the maximum number of values of a ClusterServiceVersion. An empty deployment is one value, and takes more than a kilobyte
// after decoding. The largest published ClusterServiceVersion has 8,000.
const maxCSVValues = 50_000

// countValues returns the number of values in a decoded JSON value, at any depth, including the value itself.
func countValues(value any) int {
	count := 1
	switch v := value.(type) {
	case map[string]any:
		for _, item := range v {
			count += countValues(item)
		}
	case []any:
		for _, item := range v {
			count += countValues(item)
		}
	}
	return count
}

// decodeCSV decodes a ClusterServiceVersion. It may change the case of keys in content.
func decodeCSV(content map[string]any) (*v1alpha1.ClusterServiceVersion, error) {
	if found := countValues(content); found > maxCSVValues {
		return nil, fmt.Errorf("it has %d values, but at most %d are allowed", found, maxCSVValues)
	}
	csv := &v1alpha1.ClusterServiceVersion{}
	if err := correctCase(content, csv); err != nil {
		return nil, err
	}
	err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, csv)
	if err == nil {
		return csv, nil
	}
	// The converter is fast, but its error does not name the wrong field. The error of JSON decoding does, except for types with their own
	// UnmarshalJSON.
	if text, _, _ := unstructured.NestedString(content, "spec", "version"); text != "" {
		if versionErr := new(version.OperatorVersion).UnmarshalJSON([]byte(strconv.Quote(text))); versionErr != nil {
			return nil, fmt.Errorf("spec.version %q is not a semantic version: %w", text, versionErr)
		}
	}
	if data, marshalErr := json.Marshal(content); marshalErr == nil {
		if jsonErr := json.Unmarshal(data, &v1alpha1.ClusterServiceVersion{}); jsonErr != nil {
			return nil, jsonErr
		}
	}
	return nil, err
}
