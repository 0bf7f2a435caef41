package registryv1

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/bundle"
)

func isCRD(o bundle.Object) bool {
	return groupKind(o) == schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}
}

// validateCRDs checks that CRDs are of the version that clusters serve, and have what a conversion is written into.
func validateCRDs(b *Bundle) []string {
	var findings []string
	for _, o := range b.objects {
		if v := o.GroupVersionKind().Version; isCRD(o) && v != "v1" {
			findings = append(findings, fmt.Sprintf("%s: apiextensions.k8s.io/%s is not served since Kubernetes 1.22; a bundle with apiextensions.k8s.io/v1 is needed", o, v))
		}
		if _, ok := o.Object["spec"].(map[string]any); isCRD(o) && !ok {
			findings = append(findings, fmt.Sprintf("%s: spec is needed, and must be a mapping", o))
		}
	}
	return findings
}
