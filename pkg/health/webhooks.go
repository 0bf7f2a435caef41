package health

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Service identifies a Service that the API server calls because of an object.
type Service struct {
	Namespace, Name string
}

// Services returns the Services that a webhook configuration calls, without duplicates, in the order of its webhooks. It returns nil for
// other kinds. A webhook configuration is ready only if these Services exist. Its own status does not show that, whereas the status of an
// APIService does.
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

// webhooks is the probe of webhook configurations. A configuration is ready when every webhook that calls a Service has a CA bundle. Until
// the CA bundle has been injected, the API server cannot verify the Service's certificate, and every call fails.
func webhooks(o *unstructured.Unstructured) (string, error) {
	for _, webhook := range webhooksOf(o) {
		called, ok := serviceOf(webhook)
		if !ok {
			continue // a webhook with a URL, whose certificate a public authority may have signed
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
