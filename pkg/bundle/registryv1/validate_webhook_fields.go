package registryv1

import (
	"fmt"
	"strings"

	"github.com/operator-framework/api/pkg/operators/v1alpha1"
	admissionv1 "k8s.io/api/admissionregistration/v1"
)

// validateWebhookFields checks fields of webhooks that the API server would otherwise reject in the middle of an installation.
func validateWebhookFields(b *Bundle) []string {
	var findings []string
	for _, w := range b.csv.Spec.WebhookDefinitions {
		add := func(format string, args ...any) {
			findings = append(findings, fmt.Sprintf("%s: webhook %q: ", b.csvFile, w.GenerateName)+fmt.Sprintf(format, args...))
		}
		switch w.Type {
		case v1alpha1.ValidatingAdmissionWebhook, v1alpha1.MutatingAdmissionWebhook:
			checkAdmission(&w, add)
		case v1alpha1.ConversionWebhook:
			if len(w.ConversionCRDs) == 0 {
				add("conversionCRDs is empty; name the CustomResourceDefinitions whose objects it converts")
			}
		default:
			add("type %q is not known; use %s, %s or %s", w.Type, v1alpha1.ValidatingAdmissionWebhook, v1alpha1.MutatingAdmissionWebhook, v1alpha1.ConversionWebhook)
		}
		if w.WebhookPath != nil && !strings.HasPrefix(*w.WebhookPath, "/") {
			add("webhookPath %q must begin with a slash", *w.WebhookPath)
		}
		if len(w.AdmissionReviewVersions) == 0 {
			add("admissionReviewVersions is empty; add v1")
		}
		if w.ContainerPort < 0 || w.ContainerPort > 65535 {
			add("containerPort %d is not a port number; use 1 to 65535", w.ContainerPort)
		}
	}
	return findings
}

// checkAdmission checks the fields that only admission webhooks have.
func checkAdmission(w *v1alpha1.WebhookDescription, add func(format string, args ...any)) {
	switch {
	case w.SideEffects == nil:
		add("sideEffects is required; use None or NoneOnDryRun")
	case *w.SideEffects != admissionv1.SideEffectClassNone && *w.SideEffects != admissionv1.SideEffectClassNoneOnDryRun:
		add("sideEffects %q is not allowed; use None or NoneOnDryRun", *w.SideEffects)
	}
	if p := w.FailurePolicy; p != nil && *p != admissionv1.Fail && *p != admissionv1.Ignore {
		add("failurePolicy %q is not known; use Fail or Ignore", *p)
	}
	if p := w.MatchPolicy; p != nil && *p != admissionv1.Exact && *p != admissionv1.Equivalent {
		add("matchPolicy %q is not known; use Exact or Equivalent", *p)
	}
	if p := w.ReinvocationPolicy; p != nil && *p != admissionv1.NeverReinvocationPolicy && *p != admissionv1.IfNeededReinvocationPolicy {
		add("reinvocationPolicy %q is not known; use Never or IfNeeded", *p)
	}
	if s := w.TimeoutSeconds; s != nil && (*s < 1 || *s > 30) {
		add("timeoutSeconds is %d; use 1 to 30", *s)
	}
}
