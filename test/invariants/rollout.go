package invariants

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/scenario"
)

// keepsActiveRevision is the rule that the objects and Secrets of the active revision, and the BundleDeployment of a PlatformOperator, are
// deleted only during a removal. When another revision becomes active, the rule protects that revision instead.
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
		return c.checkDeploymentDeletion(write.Name)
	case secretResource:
		if err := c.checkRevisionDeletion(object); err != nil {
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
			return fmt.Errorf("%s is deleted, but active revision %d of BundleDeployment %q lists it", keyOf(object), active.number, name)
		}
	}
	return nil
}

// checkDeploymentDeletion returns an error if a BundleDeployment with an active revision belongs to a PlatformOperator that is not being
// removed.
func (c *Cluster) checkDeploymentDeletion(name string) error {
	deployment := c.Deployment(name)
	if deployment == nil || deployment.Status.ActiveRevision == 0 {
		return nil
	}
	if operator := c.operatorOf(deployment); operator == nil || operator.DeletionTimestamp != nil {
		return nil
	}
	return fmt.Errorf("BundleDeployment %q is deleted with all its objects, but its PlatformOperator is not being deleted", name)
}

// checkRevisionDeletion returns an error if a Secret stores the active revision of a BundleDeployment that is not being removed. It permits
// the deletion of a revision that cannot be read.
func (c *Cluster) checkRevisionDeletion(secret *unstructured.Unstructured) error {
	deployment := c.Deployment(secret.GetLabels()[labelOf])
	if deployment == nil || deployment.DeletionTimestamp != nil || !isOwnedBy(secret, deployment) {
		return nil
	}
	active := c.revisions(deployment)[deployment.Status.ActiveRevision]
	if active == nil || secret.GetLabels()[labelNumber] != strconv.FormatInt(active.number, 10) {
		return nil
	}
	return fmt.Errorf("%s is deleted, but it stores active revision %d of BundleDeployment %q",
		keyOf(secret), active.number, deployment.Name)
}

func isOwnedBy(secret *unstructured.Unstructured, deployment *corev1alpha2.BundleDeployment) bool {
	return slices.ContainsFunc(secret.GetOwnerReferences(), func(each metav1.OwnerReference) bool { return each.UID == deployment.UID })
}

// activatesWhenReady is the rule that status names a new active revision only when each object of that revision exists and its Deployments
// are available. Afterwards the manager deletes the objects that only the earlier revision lists.
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
	err := c.checkReady(revision)
	if err != nil && c.delayed().checkReady(revision) != nil { // the manager may have seen an earlier state, in which it was ready
		return fmt.Errorf("revision %d of BundleDeployment %q becomes active, but %w", next, deployment.Name, err)
	}
	return nil
}

// checkReady returns an error about the first object of a revision that does not exist or is not available.
func (c *Cluster) checkReady(revision *revision) error {
	for _, each := range revision.objects {
		found := c.liveObject(keyOf(each))
		if found == nil {
			return fmt.Errorf("%s does not exist", keyOf(each))
		}
		if err := checkAvailable(found); err != nil {
			return fmt.Errorf("%s %w", keyOf(each), err)
		}
	}
	return nil
}

// checkAvailable returns an error if an object is a Deployment that is not available.
func checkAvailable(object *unstructured.Unstructured) error {
	if (object.GroupVersionKind().GroupKind() != schema.GroupKind{Group: "apps", Kind: "Deployment"}) {
		return nil
	}
	number := func(fields ...string) int64 {
		found, _, _ := unstructured.NestedInt64(object.Object, fields...)
		return found
	}
	switch {
	case number("status", "observedGeneration") < object.GetGeneration():
		return errors.New("has a generation that its controller has not observed")
	case number("status", "updatedReplicas") < number("spec", "replicas"):
		return errors.New("has Pods of an earlier template")
	case number("status", "availableReplicas") < 1 && number("spec", "replicas") > 0:
		return errors.New("has no available replica")
	}
	return nil
}
