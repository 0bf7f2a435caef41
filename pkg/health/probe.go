package health

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
)

// maxMessage bounds a probe's message, in bytes. Ten of them go into one condition.
const maxMessage = 256

// Result is what a probe says about one object.
type Result struct {
	// Ready means that nothing is to be waited for.
	Ready bool
	// Message is empty when Ready; else one line that names the object and says what is missing.
	Message string
}

// probe judges one kind; what is missing is empty when the object is ready.
type probe func(o *unstructured.Unstructured) (missing string, err error)

// probes are the kinds judged here, where kstatus is too lenient or says too little. Everything else has kstatus' meaning: a
// kind that reports no condition it knows is ready as soon as it exists.
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

// Probe judges an object as a server returned it. An object that is being deleted is never ready; neither is one whose
// controller has not seen its latest generation.
func Probe(o *unstructured.Unstructured) Result {
	missing, err := judge(o)
	if err != nil {
		missing = fmt.Sprintf("reading its state: %v", err)
	}
	if missing == "" {
		return Result{Ready: true}
	}
	return Result{Message: oneLine(name(o)+": "+missing, maxMessage)}
}

func judge(o *unstructured.Unstructured) (string, error) {
	if o.GetDeletionTimestamp() != nil {
		return "is being deleted", nil
	}
	if seen, found, err := unstructured.NestedInt64(o.Object, "status", "observedGeneration"); err != nil {
		return "", err
	} else if found && seen != o.GetGeneration() {
		return fmt.Sprintf("its controller has seen generation %d of %d", seen, o.GetGeneration()), nil
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

// name is how messages call an object: "Deployment ns/name", "CustomResourceDefinition name".
func name(o *unstructured.Unstructured) string {
	if o.GetNamespace() == "" {
		return o.GetKind() + " " + o.GetName()
	}
	return o.GetKind() + " " + o.GetNamespace() + "/" + o.GetName()
}

// oneLine joins lines by spaces and cuts at the given number of bytes, never inside a character.
func oneLine(text string, limit int) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= limit {
		return text
	}
	const ellipsis = "…"
	return strings.ToValidUTF8(text[:limit-len(ellipsis)], "") + ellipsis
}
