package bundle

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// CheckMetadata checks the fields that manifests of all kinds have in common, and returns a line for each finding. The fields that become
// part of an object's URL must be valid. Labels and annotations must be maps of strings, because clients that read one value of another
// type would ignore the whole map.
func CheckMetadata(o Object) []string {
	findings := checkKind(o)
	if problems := content.IsPathSegmentName(o.GetName()); len(problems) > 0 {
		findings = append(findings, fmt.Sprintf("%s: the name %s", o, strings.Join(problems, ", and ")))
	}
	// A namespace that is not a string would be treated as absent, and the object would be created in a different namespace.
	if namespace, ok := o.metadata()["namespace"]; ok && !isString(namespace) {
		findings = append(findings, fmt.Sprintf("%s: metadata.namespace %s", o, mustBeString(namespace)))
	}
	for _, field := range []string{"labels", "annotations"} {
		value, ok := o.metadata()[field]
		if !ok {
			continue
		}
		entries, ok := value.(map[string]any)
		if !ok {
			findings = append(findings, fmt.Sprintf("%s: metadata.%s must be a mapping, not %s", o, field, kindOf(value)))
		}
		for key, text := range entries {
			if !isString(text) {
				findings = append(findings, fmt.Sprintf("%s: the value of %q in metadata.%s %s", o, key, field, mustBeString(text)))
			}
		}
	}
	return findings
}

// checkKind checks apiVersion and kind by the rules that an API server applies to a CustomResourceDefinition. Group and version become part
// of the discovery URL, so invalid ones would request a different resource.
func checkKind(o Object) []string {
	var findings []string
	version, err := schema.ParseGroupVersion(o.GetAPIVersion())
	if err != nil || version.String() != o.GetAPIVersion() || len(utilvalidation.IsDNS1035Label(version.Version)) > 0 ||
		version.Group != "" && len(utilvalidation.IsDNS1123Subdomain(version.Group)) > 0 {
		findings = append(findings, fmt.Sprintf("%s: apiVersion %s is invalid; use a version such as v1, or group and version such as apps/v1",
			o, truncate.Quote(o.GetAPIVersion())))
	}
	if len(utilvalidation.IsDNS1035Label(strings.ToLower(o.GetKind()))) > 0 {
		findings = append(findings, fmt.Sprintf("%s: kind %s is invalid; use a kind such as ConfigMap, of at most %d letters and digits",
			o, truncate.Quote(o.GetKind()), utilvalidation.DNS1035LabelMaxLength))
	}
	return findings
}

func isString(value any) bool {
	_, ok := value.(string)
	return ok
}

// mustBeString returns the end of a sentence about a value that is not a string. For a number or a boolean, it suggests quotes.
func mustBeString(value any) string {
	text := "must be a string, not " + kindOf(value)
	switch value.(type) {
	case nil, map[string]any, []any:
		return text
	}
	return text + "; put it in quotes"
}

// CheckCRD checks that a CustomResourceDefinition has apiVersion apiextensions.k8s.io/v1 and a spec. It returns a line for each finding,
// and nil for other kinds.
func CheckCRD(o Object) []string {
	if !IsCRD(o) {
		return nil
	}
	var findings []string
	if v := o.GroupVersionKind().Version; v != "v1" {
		findings = append(findings, fmt.Sprintf(
			"%s: Kubernetes does not serve apiextensions.k8s.io/%s; convert the object to apiextensions.k8s.io/v1", o, v))
	}
	if _, ok := o.Object["spec"].(map[string]any); !ok {
		findings = append(findings, fmt.Sprintf("%s: spec is required, and must be a mapping", o))
	}
	return findings
}

// maxFindings is the maximum number of findings in one validation error, and maxFindingBytes the maximum size of a finding, in bytes. The
// limits exist because the error becomes part of a condition's message.
const (
	maxFindings     = 10
	maxFindingBytes = 400
)

// Findings are validation findings, one line each. The findings of one validator are sorted.
type Findings []string

// Add adds the findings of one validator. It sorts lines in place.
func (f *Findings) Add(lines []string) {
	sort.Strings(lines)
	*f = append(*f, lines...)
}

// Err returns an error with the first ten findings, truncated, and the number of the others. It returns nil if there are no findings.
func (f Findings) Err() error {
	if len(f) == 0 {
		return nil
	}
	shown := append([]string(nil), f[:min(len(f), maxFindings)]...)
	for i, each := range shown {
		shown[i] = truncate.Bytes(each, maxFindingBytes)
	}
	text := strings.Join(shown, "; ")
	if more := len(f) - maxFindings; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return errors.New(text)
}
