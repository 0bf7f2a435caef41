package health

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Service is a Service that an object makes the API server call.
type Service struct {
	Namespace, Name string
}

// Services gives the Services that a webhook configuration calls, each once, in the order of its webhooks. An object can
// only be ready while they exist, which the object itself does not tell. An APIService tells by itself.
func Services(o *unstructured.Unstructured) []Service {
	if !isWebhookConfiguration(o.GroupVersionKind().GroupKind()) {
		return nil
	}
	var services []Service
	known := map[Service]bool{}
	for _, webhook := range webhooksOf(o) {
		if found, ok := serviceOf(webhook); ok && !known[found] {
			known[found] = true
			services = append(services, found)
		}
	}
	return services
}

func isWebhookConfiguration(kind schema.GroupKind) bool {
	return kind.Group == "admissionregistration.k8s.io" && (kind.Kind == "MutatingWebhookConfiguration" || kind.Kind == "ValidatingWebhookConfiguration")
}

// webhooks is ready when the API server can verify each Service that it calls: until somebody has injected the authority
// that signed the Service's certificate, every call fails.
func webhooks(o *unstructured.Unstructured) (string, error) {
	for _, webhook := range webhooksOf(o) {
		called, ok := serviceOf(webhook)
		if !ok {
			continue // by URL, which a public authority may have signed
		}
		config, _ := webhook["clientConfig"].(map[string]any)
		if text(config, "caBundle") == "" {
			return fmt.Sprintf("webhook %q has no CA for Service %s/%s yet: clientConfig.caBundle is empty", text(webhook, "name"), called.Namespace, called.Name), nil
		}
	}
	return "", nil
}

func webhooksOf(o *unstructured.Unstructured) []map[string]any {
	list, _ := o.Object["webhooks"].([]any)
	var found []map[string]any
	for _, each := range list {
		if webhook, ok := each.(map[string]any); ok {
			found = append(found, webhook)
		}
	}
	return found
}

func serviceOf(webhook map[string]any) (Service, bool) {
	config, _ := webhook["clientConfig"].(map[string]any)
	service, _ := config["service"].(map[string]any)
	found := Service{Namespace: text(service, "namespace"), Name: text(service, "name")}
	return found, found != Service{}
}
