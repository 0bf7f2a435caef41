package registryv1

import (
	"fmt"
	"maps"
	"strings"

	"github.com/operator-framework/api/pkg/operators/v1alpha1"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/openshift/platform-operators/pkg/bundle"
)

// webhookName returns the name that the author gave to a webhook, without a trailing hyphen. Authors who mean the name as a prefix end it
// with one.
func webhookName(w *v1alpha1.WebhookDescription) string {
	return strings.TrimSuffix(w.GenerateName, "-")
}

// renderWebhooks renders one configuration per admission webhook. Conversion webhooks are in their CRDs.
func renderWebhooks(r *rendering) ([]unstructured.Unstructured, error) {
	webhooks := r.csv.Spec.WebhookDefinitions
	objects := make([]unstructured.Unstructured, 0, len(webhooks))
	for i := range webhooks {
		w := &webhooks[i]
		var kind string
		var entry any
		switch w.Type {
		case v1alpha1.ValidatingAdmissionWebhook:
			kind, entry = "ValidatingWebhookConfiguration", validatingWebhook(r, w)
		case v1alpha1.MutatingAdmissionWebhook:
			kind, entry = "MutatingWebhookConfiguration", mutatingWebhook(r, w)
		default:
			continue
		}
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(entry)
		if err != nil {
			return nil, fmt.Errorf("converting webhook %q: %w", w.GenerateName, err)
		}
		bundle.DropNulls(content)
		o := newObject(admissionv1.SchemeGroupVersion.String(), kind, "", webhookConfigurationName(r.meta.Package, r.opts.InstallNamespace, webhookName(w)))
		o.Object["webhooks"] = []any{content}
		injectCA(r.opts.Certificates, o, r.server(w.DeploymentName))
		objects = append(objects, o)
	}
	return objects, nil
}

func validatingWebhook(r *rendering, w *v1alpha1.WebhookDescription) *admissionv1.ValidatingWebhook {
	return &admissionv1.ValidatingWebhook{
		Name: webhookName(w), ClientConfig: clientConfig(r, w), NamespaceSelector: namespaceSelector(r.targets),
		Rules: w.Rules, FailurePolicy: w.FailurePolicy, MatchPolicy: w.MatchPolicy, ObjectSelector: w.ObjectSelector,
		SideEffects: w.SideEffects, TimeoutSeconds: w.TimeoutSeconds, AdmissionReviewVersions: w.AdmissionReviewVersions,
	}
}

func mutatingWebhook(r *rendering, w *v1alpha1.WebhookDescription) *admissionv1.MutatingWebhook {
	return &admissionv1.MutatingWebhook{
		Name: webhookName(w), ClientConfig: clientConfig(r, w), NamespaceSelector: namespaceSelector(r.targets),
		Rules: w.Rules, FailurePolicy: w.FailurePolicy, MatchPolicy: w.MatchPolicy, ObjectSelector: w.ObjectSelector,
		SideEffects: w.SideEffects, TimeoutSeconds: w.TimeoutSeconds, AdmissionReviewVersions: w.AdmissionReviewVersions,
		ReinvocationPolicy: w.ReinvocationPolicy,
	}
}

func clientConfig(r *rendering, w *v1alpha1.WebhookDescription) admissionv1.WebhookClientConfig {
	return admissionv1.WebhookClientConfig{Service: &admissionv1.ServiceReference{
		Namespace: r.opts.InstallNamespace, Name: r.server(w.DeploymentName).service, Path: w.WebhookPath, Port: ptr.To(webhookPort(w)),
	}}
}

// namespaceSelector returns the selector that restricts a webhook to the namespaces that its operator watches; cluster-scoped objects
// always match. It returns nil if the operator watches all namespaces.
func namespaceSelector(targets []string) *metav1.LabelSelector {
	if watchesAll(targets) {
		return nil
	}
	return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
		{Key: corev1.LabelMetadataName, Operator: metav1.LabelSelectorOpIn, Values: targets},
	}}
}

// conversionWebhooks returns the conversion webhooks, keyed by the names of the CRDs that they convert.
func conversionWebhooks(b *Bundle) map[string]*v1alpha1.WebhookDescription {
	found := map[string]*v1alpha1.WebhookDescription{}
	webhooks := b.csv.Spec.WebhookDefinitions
	for i := range webhooks {
		if webhooks[i].Type != v1alpha1.ConversionWebhook {
			continue
		}
		for _, crd := range webhooks[i].ConversionCRDs {
			found[crd] = &webhooks[i]
		}
	}
	return found
}

// setConversion sets the conversion webhook of a CRD. It replaces the conversion in the manifest, which a generator wrote for installations
// without OLM.
func setConversion(r *rendering, crd unstructured.Unstructured, w *v1alpha1.WebhookDescription) {
	s := r.server(w.DeploymentName)
	from, _ := crd.Object["spec"].(map[string]any)
	spec := maps.Clone(from)
	spec["conversion"] = map[string]any{
		"strategy": "Webhook",
		"webhook": map[string]any{
			"clientConfig": map[string]any{"service": map[string]any{
				"namespace": s.namespace, "name": s.service, "port": int64(webhookPort(w)), "path": ptr.Deref(w.WebhookPath, "/"),
			}},
			"conversionReviewVersions": texts(w.AdmissionReviewVersions),
		},
	}
	crd.Object["spec"] = spec
	injectCA(r.opts.Certificates, crd, s)
}
