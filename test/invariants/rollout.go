package invariants

import (
	"fmt"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/scenario"
)

// keepsActiveRevision is the rule that neither an object of the active revision nor the revision itself is deleted before another revision is
// active. The BundleDeployment is not deleted, either. In a removal they are.
func keepsActiveRevision(c *Cluster, write scenario.Write) error {
	if write.Verb != "delete" {
		return nil
	}
	object := c.Get(write.Resource, write.Namespace, write.Name)
	if object == nil {
		return nil
	}
	switch write.Resource {
	case deploymentResource:
		return c.keepsDeployment(write.Name)
	case secretResource:
		if err := c.keepsRevision(object); err != nil {
			return err
		}
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

// keepsDeployment returns an error if a BundleDeployment has an active revision, and its PlatformOperator is not being removed.
func (c *Cluster) keepsDeployment(name string) error {
	deployment := c.Deployment(name)
	if deployment == nil || deployment.Status.ActiveRevision == 0 {
		return nil
	}
	if operator := c.operatorOf(deployment); operator == nil || operator.DeletionTimestamp != nil {
		return nil
	}
	return fmt.Errorf("BundleDeployment %q is deleted, with all that it installed, and its PlatformOperator is not", name)
}

// keepsRevision returns an error if a Secret is of the active revision of a BundleDeployment that is not being removed. A revision that
// cannot be read is lost anyway.
func (c *Cluster) keepsRevision(secret *unstructured.Unstructured) error {
	deployment := c.Deployment(secret.GetLabels()[labelOf])
	if deployment == nil || deployment.DeletionTimestamp != nil || !isOwnedBy(secret, deployment) {
		return nil
	}
	active := c.revisions(deployment)[deployment.Status.ActiveRevision]
	if active == nil || secret.GetLabels()[labelNumber] != strconv.FormatInt(active.number, 10) {
		return nil
	}
	return fmt.Errorf("%s is deleted, and revision %d of BundleDeployment %q, which is active, is stored in it",
		keyOf(secret), active.number, deployment.Name)
}

func isOwnedBy(secret *unstructured.Unstructured, deployment *corev1alpha2.BundleDeployment) bool {
	return slices.ContainsFunc(secret.GetOwnerReferences(), func(each metav1.OwnerReference) bool { return each.UID == deployment.UID })
}

// activatesWhenReady is the rule that status names another active revision only when each object of the revision exists and its Deployments
// are available. The manager deletes what only the former revision has after that.
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
	missing := c.notReady(revision)
	if missing != "" && c.ago().notReady(revision) != "" { // the manager may have seen it ready a moment ago
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
