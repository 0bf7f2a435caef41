package health

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// condition is one entry of status.conditions.
type condition struct{ status, reason, message string }

// conditionOf returns the condition of a type, or a zero condition if there is none.
func conditionOf(o *unstructured.Unstructured, kind string) condition {
	value, _, _ := unstructured.NestedFieldNoCopy(o.Object, "status", "conditions")
	list, _ := value.([]any)
	for _, item := range list {
		m, _ := item.(map[string]any)
		if text(m, "type") == kind {
			return condition{text(m, "status"), text(m, "reason"), text(m, "message")}
		}
	}
	return condition{}
}

// text returns a string field, empty if it is missing or of another type.
func text(m map[string]any, field string) string {
	s, _ := m[field].(string)
	return s
}

// explain appends a condition's message, or else its reason, to the description of what is missing.
func (c condition) explain(missing string) string {
	switch {
	case c.message != "":
		return missing + ": " + c.message
	case c.reason != "":
		return missing + ": " + c.reason
	}
	return missing
}

func crd(o *unstructured.Unstructured) (string, error) {
	if c := conditionOf(o, "NamesAccepted"); c.status == "False" {
		return c.explain("its names are not accepted"), nil
	}
	if c := conditionOf(o, "Established"); c.status != "True" {
		return c.explain("not established yet"), nil
	}
	return "", nil
}

func apiService(o *unstructured.Unstructured) (string, error) {
	if c := conditionOf(o, "Available"); c.status != "True" {
		return c.explain("is not available"), nil
	}
	return "", nil
}

// deployment is the probe of Deployments. A Deployment is ready when the last rollout is complete: every replica has the newest template
// and is available, and no old replica is left. kstatus has the same criteria, but its message contains no numbers.
func deployment(o *unstructured.Unstructured) (string, error) {
	if _, found, err := unstructured.NestedInt64(o.Object, "status", "observedGeneration"); err != nil || !found {
		return "its controller has not seen it yet", err
	}
	wanted, err := count(o, 1, "spec", "replicas")
	if err != nil {
		return "", err
	}
	var total, updated, available int64
	for field, to := range map[string]*int64{"replicas": &total, "updatedReplicas": &updated, "availableReplicas": &available} {
		if *to, err = count(o, 0, "status", field); err != nil {
			return "", err
		}
	}
	old := max(total-updated, 0)
	// availableReplicas includes Pods of old templates. While any of these Pods are left, some of the available ones may be old.
	availableNew := max(min(available-old, updated), 0)
	missing := ""
	switch {
	case availableNew < wanted:
		missing = fmt.Sprintf("%d of %d updated replicas available", availableNew, wanted)
	case total > wanted || old > 0:
		missing = fmt.Sprintf("%d old replicas still to go", max(total-wanted, old))
	}
	failure, progressing := conditionOf(o, "ReplicaFailure"), conditionOf(o, "Progressing")
	isLate := progressing.reason == "ProgressDeadlineExceeded"
	switch {
	case missing == "":
		return "", nil
	case failure.status == "True" && isLate: // its message says why Pods are missing, and that of Progressing does not
		return failure.explain(missing + "; progress deadline exceeded"), nil
	case failure.status == "True":
		return failure.explain(missing), nil
	case isLate:
		return progressing.explain(missing + "; progress deadline exceeded"), nil
	}
	return missing, nil
}

// statefulSet is the probe of StatefulSets. A StatefulSet is ready when every replica is ready, there are no extra replicas, and all
// replicas from the partition on have the newest revision. With strategy OnDelete, the revision does not matter. kstatus is more lenient:
// with OnDelete, it does not check the replicas.
func statefulSet(o *unstructured.Unstructured) (string, error) {
	if _, found, err := unstructured.NestedInt64(o.Object, "status", "observedGeneration"); err != nil || !found {
		return "its controller has not seen it yet", err
	}
	wanted, err := count(o, 1, "spec", "replicas")
	if err != nil {
		return "", err
	}
	var ready, updated, total int64
	for field, to := range map[string]*int64{"readyReplicas": &ready, "updatedReplicas": &updated, "replicas": &total} {
		if *to, err = count(o, 0, "status", field); err != nil {
			return "", err
		}
	}
	strategy, _, err := unstructured.NestedString(o.Object, "spec", "updateStrategy", "type")
	if err != nil {
		return "", err
	}
	partition, err := count(o, 0, "spec", "updateStrategy", "rollingUpdate", "partition")
	if err != nil {
		return "", err
	}
	current, _, _ := unstructured.NestedString(o.Object, "status", "currentRevision")
	newest, _, _ := unstructured.NestedString(o.Object, "status", "updateRevision")
	switch {
	case ready < wanted:
		return fmt.Sprintf("%d of %d replicas ready", ready, wanted), nil
	case total > wanted:
		return fmt.Sprintf("%d replicas still to go", total-wanted), nil
	case strategy == "OnDelete" || current == newest:
		return "", nil // nothing is being updated, or the update waits until someone deletes the Pods
	case updated < max(wanted-partition, 0):
		return fmt.Sprintf("%d of %d replicas updated", updated, max(wanted-partition, 0)), nil
	}
	return "", nil
}

// daemonSet is the probe of DaemonSets. A DaemonSet is ready when every node that should have a Pod has an available one with the newest
// template. With strategy OnDelete, the template does not matter.
func daemonSet(o *unstructured.Unstructured) (string, error) {
	if _, found, err := unstructured.NestedInt64(o.Object, "status", "observedGeneration"); err != nil || !found {
		return "its controller has not seen it yet", err
	}
	var wanted, updated, available int64
	for field, to := range map[string]*int64{"desiredNumberScheduled": &wanted, "updatedNumberScheduled": &updated, "numberAvailable": &available} {
		var err error
		if *to, err = count(o, 0, "status", field); err != nil {
			return "", err
		}
	}
	strategy, _, err := unstructured.NestedString(o.Object, "spec", "updateStrategy", "type")
	switch {
	case err != nil:
		return "", err
	case updated < wanted && strategy != "OnDelete":
		return fmt.Sprintf("updated on %d of %d nodes", updated, wanted), nil
	case available < wanted:
		return fmt.Sprintf("available on %d of %d nodes", available, wanted), nil
	}
	return "", nil
}

// job is the probe of Jobs. A Job is ready when it is complete. kstatus treats a running Job as ready, but objects that depend on a Job
// depend on its result.
func job(o *unstructured.Unstructured) (string, error) {
	if c := conditionOf(o, "Complete"); c.status == "True" {
		return "", nil
	}
	if c := conditionOf(o, "Failed"); c.status == "True" {
		return c.explain("failed"), nil
	}
	wanted, err := count(o, 1, "spec", "completions")
	if err != nil {
		return "", err
	}
	succeeded, err := count(o, 0, "status", "succeeded")
	if err != nil {
		return "", err
	}
	if suspended, _, _ := unstructured.NestedBool(o.Object, "spec", "suspend"); suspended {
		return fmt.Sprintf("is suspended; %d of %d completions", succeeded, wanted), nil
	}
	return fmt.Sprintf("%d of %d completions", succeeded, wanted), nil
}

func claim(o *unstructured.Unstructured) (string, error) {
	phase, _, err := unstructured.NestedString(o.Object, "status", "phase")
	switch {
	case err != nil:
		return "", err
	case phase == "Bound":
		return "", nil
	case phase == "":
		return "is not bound", nil
	}
	return "is not bound but " + phase, nil
}

// pod is the probe of Pods. A Pod is ready when it is Ready or has succeeded. The result of kstatus is not used, because it depends on the
// clock, and treats a failed Pod as finished.
func pod(o *unstructured.Unstructured) (string, error) {
	phase, _, err := unstructured.NestedString(o.Object, "status", "phase")
	if err != nil {
		return "", err
	}
	ready := conditionOf(o, "Ready")
	if phase == "Succeeded" || phase == "Running" && ready.status == "True" {
		return "", nil
	}
	if phase == "" {
		return "is not scheduled yet", nil
	}
	if c := conditionOf(o, "PodScheduled"); c.status == "False" {
		return c.explain("cannot be scheduled"), nil
	}
	return ready.explain("is " + phase + " and not ready"), nil
}

// count returns the number in a field, or the value of the parameter otherwise if the field is missing.
func count(o *unstructured.Unstructured, otherwise int64, fields ...string) (int64, error) {
	n, found, err := unstructured.NestedInt64(o.Object, fields...)
	if err != nil || !found {
		return otherwise, err
	}
	return n, nil
}
