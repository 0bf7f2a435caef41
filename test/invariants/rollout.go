package invariants

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/scenario"
)

// keepsActiveRevision: an object of the active revision is not deleted before another revision is active, unless the BundleDeployment is
// being removed.
func keepsActiveRevision(c *Cluster, write scenario.Write) error {
	if write.Verb != "delete" {
		return nil
	}
	object := c.Get(write.Resource, write.Namespace, write.Name)
	if object == nil {
		return nil
	}
	for _, name := range marksOf(object).owners() {
		deployment := c.Deployment(name)
		if deployment == nil || deployment.DeletionTimestamp != nil {
			continue
		}
		active := c.revisions(deployment)[deployment.Status.ActiveRevision]
		if active != nil && active.keys[keyOf(object)] {
			return fmt.Errorf("%s is deleted, and revision %d of BundleDeployment %q, which is active, lists it", keyOf(object), active.number, name)
		}
	}
	return nil
}

// activatesWhenReady: status names another active revision only when each object of the revision exists and its workloads are available.
// What only the former revision has is deleted after that.
func activatesWhenReady(c *Cluster, write scenario.Write) error {
	if write.Resource != deploymentResource || write.Subresource != "status" || write.Verb != "update" {
		return nil
	}
	deployment, content := c.Deployment(write.Name), write.Object()
	if deployment == nil || content == nil {
		return nil
	}
	next, _, _ := unstructured.NestedInt64(content.Object, "status", "activeRevision")
	revision := c.revisions(deployment)[next]
	if next == deployment.Status.ActiveRevision || revision == nil {
		return nil
	}
	if missing, before := c.notReady(revision), c.ago().notReady(revision); missing != "" && before != "" { // not ready now, and not just before
		return fmt.Errorf("revision %d of BundleDeployment %q becomes active, and %s", next, deployment.Name, missing)
	}
	return nil
}

// notReady returns what the first object of a revision lacks, or "" if all objects exist and all workloads are available.
func (c *Cluster) notReady(revision *revision) string {
	for _, each := range revision.objects {
		found := c.live(keyOf(each))
		if found == nil {
			return keyOf(each).String() + " does not exist"
		}
		if missing := notAvailable(found); missing != "" {
			return keyOf(each).String() + " " + missing
		}
	}
	return ""
}

// notAvailable returns what a Deployment lacks, or "" if it is available or the object is of another kind.
func notAvailable(object *unstructured.Unstructured) string {
	if (object.GroupVersionKind().GroupKind() != schema.GroupKind{Group: "apps", Kind: "Deployment"}) {
		return ""
	}
	number := func(fields ...string) int64 {
		found, _, _ := unstructured.NestedInt64(object.Object, fields...)
		return found
	}
	switch {
	case number("status", "observedGeneration") < object.GetGeneration():
		return "is not observed by its controller"
	case number("status", "updatedReplicas") < number("spec", "replicas"):
		return "has Pods of an earlier template"
	case number("status", "availableReplicas") < 1 && number("spec", "replicas") > 0:
		return "has no available replica"
	}
	return ""
}
