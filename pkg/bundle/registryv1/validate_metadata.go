package registryv1

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// validateMetadata checks what is the same for manifests of all kinds: names that can stand in an address, and labels and
// annotations of strings. One that is no string would have all of its mapping taken for absent.
func validateMetadata(b *Bundle) []string {
	var findings []string
	for _, o := range b.objects {
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
	}
	return findings
}
