package scenarios

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

var (
	changingMetadata = []string{"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields"}
	// statusKept are the kinds whose status normalize keeps, because the manager writes it. It removes the status of all other kinds.
	statusKept = []string{"PlatformOperator", "BundleDeployment", "Bundle", "PlatformOperatorManager", "ClusterOperator"}

	// specFixed are the kinds whose spec has only times that the story sets.
	specFixed = []string{"PlatformOperator", "BundleDeployment"}

	changingGeneration = regexp.MustCompile(`Generation":\d+`) // varies, because the manager writes a spec in one request or in two
	changingTime       = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	// changingDeadline matches a part of a message about a Deployment. The message contains this part only after the Deployment's
	// spec.progressDeadlineSeconds has passed.
	changingDeadline = regexp.MustCompile(`; progress deadline exceeded: Deployment \\+"[^"\\]+\\+" has timed out progressing(?:\.(\.))?`)
	changingAttempt  = regexp.MustCompile(`"failedAttempt":"[0-9a-f]+"`) // depends on the annotation that removeRetry removes
	changingUID      = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
)

// removeReverted removes the records of drift that the manager reverted, because only the process that reverted the drift reports it. It
// keeps the records of drift that the manager left in place.
func removeReverted(object *unstructured.Unstructured) error {
	records, isSet, err := unstructured.NestedSlice(object.Object, "status", "drift")
	if err != nil || !isSet {
		return err
	}
	records = slices.DeleteFunc(records, func(each any) bool {
		record, isObject := each.(map[string]any)
		return isObject && record["outcome"] != string(corev1alpha2.DriftReported)
	})
	if len(records) == 0 {
		unstructured.RemoveNestedField(object.Object, "status", "drift")
		return nil
	}
	return unstructured.SetNestedSlice(object.Object, records, "status", "drift")
}

// removeRetry removes the annotation that requests another attempt. A story may set it, but the reference system with which the story's
// cluster is compared (see referenceBuilder) needs no other attempt.
func removeRetry(object *unstructured.Unstructured) {
	annotations := object.GetAnnotations()
	if _, isSet := annotations[platformv1alpha1.AnnotationRetry]; isSet {
		delete(annotations, platformv1alpha1.AnnotationRetry)
		object.SetAnnotations(annotations)
	}
}

// normalize removes from an object the fields that may differ between two runs of a story, and replaces texts that may differ with
// placeholders.
func normalize(object *unstructured.Unstructured) (err error) {
	for _, field := range changingMetadata {
		unstructured.RemoveNestedField(object.Object, "metadata", field)
	}
	removeRetry(object)
	if !slices.Contains(statusKept, object.GetKind()) {
		delete(object.Object, "status")
	}
	switch object.GetKind() {
	case "Secret":
		if strings.HasPrefix(object.GetName(), "revision.") {
			delete(object.Object, "data") // compressed revisions contain times
		}
	case "BundleDeployment":
		if err := removeReverted(object); err != nil {
			return err
		}
	}
	fixed := map[string]any{} // fields whose times do not vary
	if spec, hasSpec := object.Object["spec"]; hasSpec && slices.Contains(specFixed, object.GetKind()) {
		fixed["spec"] = spec
		delete(object.Object, "spec")
	}
	object.Object, err = masked(object.Object, func(text string) string { return changingTime.ReplaceAllString(text, "TIME") })
	if err != nil {
		return err
	}
	fixed, err = masked(fixed, func(text string) string { return text })
	maps.Copy(object.Object, fixed)
	return err
}

// masked returns fields with placeholders for texts that may differ between two runs. further replaces more texts in their JSON.
func masked(fields map[string]any, further func(string) string) (map[string]any, error) {
	content, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	text := changingGeneration.ReplaceAllString(further(mask(string(content))), `Generation":0`)
	text = changingAttempt.ReplaceAllString(changingDeadline.ReplaceAllString(text, "$1"), `"failedAttempt":"ATTEMPT"`)
	var replaced map[string]any
	err = json.Unmarshal([]byte(changingUID.ReplaceAllString(text, "UID")), &replaced)
	return replaced, err
}
