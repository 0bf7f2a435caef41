package health

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
)

// maxMessage is the maximum size of a probe's message, in bytes. Ten messages fit into one condition.
const maxMessage = 256

// Result is the readiness of one object.
type Result struct {
	// Ready means that there is no need to wait for the object any longer.
	Ready bool
	// Message is one line with the object's name and what is missing. It is empty if Ready is true.
	Message string
}

// probe evaluates an object of one kind. It returns what is missing until the object is ready; empty if it is ready.
type probe func(o *unstructured.Unstructured) (missing string, err error)

// probes are the probes of kinds for which kstatus is too lenient or its message says too little. All other kinds use kstatus. With
// kstatus, an object of a kind without known conditions is ready when it exists.
var probes = map[schema.GroupKind]probe{
	{Group: "admissionregistration.k8s.io", Kind: "MutatingWebhookConfiguration"}:   webhooks,
	{Group: "admissionregistration.k8s.io", Kind: "ValidatingWebhookConfiguration"}: webhooks,
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}:               crd,
	{Group: "apiregistration.k8s.io", Kind: "APIService"}:                           apiService,
	{Group: "apps", Kind: "DaemonSet"}:                                              daemonSet,
	{Group: "apps", Kind: "Deployment"}:                                             deployment,
	{Group: "apps", Kind: "StatefulSet"}:                                            statefulSet,
	{Group: "batch", Kind: "Job"}:                                                   job,
	{Kind: "PersistentVolumeClaim"}:                                                 claim,
	{Kind: "Pod"}:                                                                   pod,
}

// Probe evaluates an object as a server returned it. An object that is being deleted is never ready, nor is one whose controller has not
// observed its latest generation. If the state of an object cannot be read, the object is not ready, and Message contains the error.
func Probe(o *unstructured.Unstructured) Result {
	missing, err := evaluate(o)
	if err != nil {
		missing = fmt.Sprintf("reading its state: %v", err)
	}
	if missing == "" {
		return Result{Ready: true}
	}
	return Result{Message: oneLine(objectName(o)+": "+missing, maxMessage)}
}

func evaluate(o *unstructured.Unstructured) (string, error) {
	if o.GetDeletionTimestamp() != nil {
		return "is being deleted", nil
	}
	if seen, found, err := unstructured.NestedInt64(o.Object, "status", "observedGeneration"); err != nil {
		return "", err
	} else if found && seen != o.GetGeneration() {
		return fmt.Sprintf("its controller has observed generation %d of %d", seen, o.GetGeneration()), nil
	}
	if p, ok := probes[o.GroupVersionKind().GroupKind()]; ok {
		return p(o)
	}
	return byKstatus(o)
}

func byKstatus(o *unstructured.Unstructured) (string, error) {
	result, err := status.Compute(o)
	if err != nil {
		return "", err
	}
	if result.Status == status.CurrentStatus {
		return "", nil
	}
	if result.Message != "" {
		return result.Message, nil
	}
	return "is " + string(result.Status), nil
}

// objectName returns an object's name for messages: "Deployment ns/name", "CustomResourceDefinition name".
func objectName(o *unstructured.Unstructured) string {
	if o.GetNamespace() == "" {
		return o.GetKind() + " " + o.GetName()
	}
	return o.GetKind() + " " + o.GetNamespace() + "/" + o.GetName()
}

// oneLine joins lines with spaces and truncates the result to at most limit bytes, at a character boundary. A truncated text ends with "…".
func oneLine(text string, limit int) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= limit {
		return text
	}
	const ellipsis = "…"
	return strings.ToValidUTF8(text[:limit-len(ellipsis)], "") + ellipsis
}
