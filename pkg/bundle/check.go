package bundle

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// CheckMetadata checks what is the same for manifests of all kinds: names that can stand in an address, and labels and
// annotations of strings. One that is no string would have all of its mapping taken for absent. It returns a line for each finding.
func CheckMetadata(o Object) []string {
	var findings []string
	if problems := content.IsPathSegmentName(o.GetName()); len(problems) > 0 {
		findings = append(findings, fmt.Sprintf("%s: the name %s", o, strings.Join(problems, ", and ")))
	}
	for _, field := range []string{"labels", "annotations"} {
		value, ok, _ := unstructured.NestedFieldNoCopy(o.Object, "metadata", field)
		if !ok {
			continue
		}
		entries, ok := value.(map[string]any)
		if !ok {
			findings = append(findings, fmt.Sprintf("%s: metadata.%s must be a mapping", o, field))
		}
		for key, text := range entries {
			if _, ok := text.(string); !ok {
				findings = append(findings, fmt.Sprintf("%s: the value of %q in metadata.%s is no string; put it in quotes", o, key, field))
			}
		}
	}
	return findings
}

// CheckCRD checks that a CustomResourceDefinition is of the version that clusters serve, and has a spec; of other kinds it
// finds nothing.
func CheckCRD(o Object) []string {
	if !IsCRD(o) {
		return nil
	}
	var findings []string
	if v := o.GroupVersionKind().Version; v != "v1" {
		findings = append(findings, fmt.Sprintf("%s: apiextensions.k8s.io/%s is not served since Kubernetes 1.22; a bundle with apiextensions.k8s.io/v1 is needed", o, v))
	}
	if _, ok := o.Object["spec"].(map[string]any); !ok {
		findings = append(findings, fmt.Sprintf("%s: spec is needed, and must be a mapping", o))
	}
	return findings
}

// Bounds of one validation error, which ends in a condition's message.
const (
	maxFindings     = 10
	maxFindingBytes = 400
)

// Findings is a list of lines as it grows family by family, each family sorted.
type Findings []string

// Add adds the lines of one family.
func (f *Findings) Add(lines []string) {
	sort.Strings(lines)
	*f = append(*f, lines...)
}

// Err tells the first ten findings, shortened, and how many more there are; nil when there are none.
func (f Findings) Err() error {
	if len(f) == 0 {
		return nil
	}
	told := append([]string(nil), f[:min(len(f), maxFindings)]...)
	for i, each := range told {
		if len(each) > maxFindingBytes {
			told[i] = strings.ToValidUTF8(each[:maxFindingBytes], "") + "…"
		}
	}
	text := strings.Join(told, "; ")
	if more := len(f) - maxFindings; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return errors.New(text)
}
