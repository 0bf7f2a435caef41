package registryv1

import (
	"fmt"

	"github.com/operator-framework/api/pkg/operators/v1alpha1"
)

// validateWebhookFields checks what the API server would refuse when half of the operator is installed.
func validateWebhookFields(b *Bundle) []string {
	var findings []string
	for _, w := range b.csv.Spec.WebhookDefinitions {
		add := func(format string, args ...any) {
			findings = append(findings, fmt.Sprintf("%s: webhook %q: ", b.csvFile, w.GenerateName)+fmt.Sprintf(format, args...))
		}
		switch w.Type {
		case v1alpha1.ValidatingAdmissionWebhook, v1alpha1.MutatingAdmissionWebhook:
			if w.SideEffects == nil {
				add("sideEffects is needed; write None or NoneOnDryRun")
			}
		case v1alpha1.ConversionWebhook:
			if len(w.ConversionCRDs) == 0 {
				add("conversionCRDs is empty; name the CustomResourceDefinitions whose objects it converts")
			}
		default:
			add("type %q is not known; use %s, %s or %s", w.Type, v1alpha1.ValidatingAdmissionWebhook, v1alpha1.MutatingAdmissionWebhook, v1alpha1.ConversionWebhook)
		}
		if len(w.AdmissionReviewVersions) == 0 {
			add("admissionReviewVersions is empty; write v1")
		}
		if w.ContainerPort < 0 || w.ContainerPort > 65535 {
			add("containerPort %d is no port", w.ContainerPort)
		}
	}
	return findings
}
