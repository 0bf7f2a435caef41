package invariants

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/test/environment"
)

// moment is the time within which the manager sees a change. A write of an earlier decision may follow the change.
const moment = time.Second

// deletesByUID: a delete has the UID of the object as a precondition. Otherwise it could delete a later object of the same name. A delete of
// a collection has no such precondition.
func deletesByUID(_ *Cluster, write scenario.Write) error {
	switch {
	case write.Verb == "deletecollection":
		return fmt.Errorf("%s deletes objects that the manager has not read", write.Request)
	case write.Verb != "delete":
		return nil
	}
	if given := write.DeleteOptions().Preconditions; given == nil || given.UID == nil || *given.UID == "" {
		return fmt.Errorf("%s has no UID precondition, and could delete a later object of the same name", write.Request)
	}
	return nil
}

// deletesOwnObjects: beside the manager's own records, only objects of a BundleDeployment are deleted. An object is a BundleDeployment's if
// labels and field manager prove it, which is also true of an object of a lost revision. With the field manager alone, a stored revision
// must list the object. With the labels alone, a revision that was active must list it, as of an object from a backup.
func deletesOwnObjects(c *Cluster, write scenario.Write) error {
	if write.Verb != "delete" || isBookkeeping(c, write) {
		return nil
	}
	object := c.Get(write.Resource, write.Namespace, write.Name)
	if object == nil {
		return nil
	}
	found := marksOf(object)
	for _, name := range found.owners() {
		deployment := c.Deployment(name)
		if deployment == nil {
			continue
		}
		stored := c.revisions(deployment)
		if found.prove(name) || slices.Contains(found.managers, name) && isListed(stored, keyOf(object)) || isListed(activated(deployment, stored), keyOf(object)) {
			return nil
		}
	}
	return fmt.Errorf("%s is deleted, and its labels, its field managers and the stored revisions do not prove that a BundleDeployment applied it", keyOf(object))
}

// activated returns the revisions that are or were active.
func activated(deployment *corev1alpha2.BundleDeployment, stored map[int64]*revision) map[int64]*revision {
	found := map[int64]*revision{}
	for _, each := range deployment.Status.Revisions {
		if each.State == corev1alpha2.RevisionActive || each.State == corev1alpha2.RevisionArchived {
			found[each.Number] = stored[each.Number]
		}
	}
	return found
}

// isBookkeeping reports whether a delete is of an object that the manager keeps beside what bundles declare.
func isBookkeeping(c *Cluster, write scenario.Write) bool {
	switch write.Resource {
	case deploymentResource:
		deployment := c.Deployment(write.Name)
		return deployment == nil || c.operatorOf(deployment) != nil
	case secretResource:
		secret := c.Get(secretResource, write.Namespace, write.Name)
		if secret == nil {
			return true
		}
		kind, _, _ := unstructured.NestedString(secret.Object, "type")
		return write.Namespace == environment.Namespace && kind == secretType || kind == "helm.sh/release.v1" // rukpak's
	case clusterRoleResource:
		return write.Name == "platform-operators:namespace-check"
	}
	return false
}

// keepsCustomResources: a CustomResourceDefinition is deleted only in the removal of its BundleDeployment with deletion.crds Delete, and
// only while no custom resources exist but those of the bundle. A custom resource is deleted only if a revision lists it.
func keepsCustomResources(c *Cluster, write scenario.Write) error {
	if write.Verb != "delete" {
		return nil
	}
	object := c.Get(write.Resource, write.Namespace, write.Name)
	if object == nil {
		return nil
	}
	if write.Resource != definitionResource {
		return c.keepsCustomResource(write.Resource, object)
	}
	names := marksOf(object).owners()
	for _, name := range names {
		if deployment := c.Deployment(name); deployment != nil && deployment.DeletionTimestamp != nil && c.crdPolicy(deployment) == corev1alpha2.CRDsDelete {
			return c.hasNoUsers(object, deployment)
		}
	}
	return fmt.Errorf("%s is deleted, with all its custom resources, and no BundleDeployment of %q is being removed with deletion.crds Delete", keyOf(object), names)
}

// keepsCustomResource returns an error if the object is a custom resource that no revision lists. Kinds of the manager and kinds without a
// CustomResourceDefinition are not concerned.
func (c *Cluster) keepsCustomResource(resource schema.GroupResource, object *unstructured.Unstructured) error {
	if resource.Group == corev1alpha2.GroupName || c.Get(definitionResource, "", resource.String()) == nil {
		return nil
	}
	for _, deployment := range c.Deployments() {
		if isListed(c.revisions(deployment), keyOf(object)) {
			return nil
		}
	}
	if found := marksOf(object); found.label != "" && found.prove(found.label) {
		return nil // of a lost revision
	}
	return fmt.Errorf("custom resource %s is deleted, and no stored revision lists it", keyOf(object))
}

// crdPolicy returns the deletion policy for CustomResourceDefinitions: that of the BundleDeployment, or else of its class.
func (c *Cluster) crdPolicy(deployment *corev1alpha2.BundleDeployment) corev1alpha2.CRDDeletion {
	if own := deployment.Spec.Deletion; own != nil && own.CRDs != "" {
		return own.CRDs
	}
	class := c.Get(classResource, "", deployment.Spec.ProvisionerClassName)
	if class == nil {
		return corev1alpha2.CRDsOrphan
	}
	policy, _, _ := unstructured.NestedString(class.Object, "spec", "deletion", "crds")
	return corev1alpha2.CRDDeletion(policy)
}

// hasNoUsers returns an error if a custom resource exists a moment ago and now that no revision of the BundleDeployment lists.
func (c *Cluster) hasNoUsers(definition *unstructured.Unstructured, deployment *corev1alpha2.BundleDeployment) error {
	group, _, _ := unstructured.NestedString(definition.Object, "spec", "group")
	plural, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "plural")
	resource := schema.GroupResource{Group: group, Resource: plural}
	for _, each := range c.ago().List(resource, "") {
		if c.Get(resource, each.GetNamespace(), each.GetName()) != nil && !isListed(c.revisions(deployment), keyOf(each)) {
			return fmt.Errorf("%s is deleted, and %s of a user exists", keyOf(definition), keyOf(each))
		}
	}
	return nil
}

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

// pauseIsRespected: nothing that a bundle declares is written or deleted while spec.paused is set on its BundleDeployment or
// PlatformOperator, unless the BundleDeployment is being removed. The pause counts when status reports that the manager has seen it, or a
// moment after it was set.
func pauseIsRespected(c *Cluster, write scenario.Write) error {
	name := c.operandOf(write)
	if name == "" {
		return nil
	}
	deployment := c.Deployment(name)
	if deployment == nil || deployment.DeletionTimestamp != nil || !c.isPaused(deployment) {
		return nil
	}
	before := c.ago()
	earlier := before.Deployment(name)
	if wasPaused := earlier != nil && before.isPaused(earlier); !wasPaused && !c.isPauseObserved(deployment) {
		return nil
	}
	return fmt.Errorf("%s is a write to an object of BundleDeployment %q, which is paused", write.Request, name)
}

func (c *Cluster) isPaused(deployment *corev1alpha2.BundleDeployment) bool {
	operator := c.operatorOf(deployment)
	return deployment.Spec.Paused || operator != nil && operator.Spec.Paused
}

// isPauseObserved reports whether the status of each paused object describes its latest spec.
func (c *Cluster) isPauseObserved(deployment *corev1alpha2.BundleDeployment) bool {
	operator := c.operatorOf(deployment)
	if operator != nil && operator.Spec.Paused && operator.Status.ObservedGeneration != operator.Generation {
		return false
	}
	return !deployment.Spec.Paused || deployment.Status.ObservedGeneration == deployment.Generation
}

// operandOf returns the BundleDeployment for which an object is written or deleted, or "" if the write is not of a bundle's object.
func (c *Cluster) operandOf(write scenario.Write) string {
	if name, isOperand := strings.CutPrefix(write.FieldManager, corev1alpha2.FieldManagerPrefix); isOperand {
		return name
	}
	object := c.Get(write.Resource, write.Namespace, write.Name)
	if object == nil || write.Subresource != "" || write.Namespace == environment.Namespace && write.Resource == secretResource {
		return ""
	}
	if found := marksOf(object); found.prove(found.label) {
		return found.label
	}
	return ""
}

// oneWriter: an object that one BundleDeployment applied is written under that BundleDeployment's field manager only, or under the field
// manager of an older one, which takes the object over.
func oneWriter(c *Cluster, write scenario.Write) error {
	if write.Verb == "delete" || write.Verb == "deletecollection" || write.Subresource != "" {
		return nil
	}
	object := c.Get(write.Resource, write.Namespace, write.Name)
	if object == nil {
		return nil
	}
	found := marksOf(object)
	if found.label == "" || !slices.Contains(found.managers, found.label) {
		return nil
	}
	name, isOperand := strings.CutPrefix(write.FieldManager, corev1alpha2.FieldManagerPrefix)
	owner := c.Deployment(found.label)
	switch {
	case !isOperand:
		return fmt.Errorf("%s of BundleDeployment %q is written under field manager %q", keyOf(object), found.label, write.FieldManager)
	case name == found.label || owner == nil:
		return nil
	}
	writer := c.Deployment(name)
	if writer == nil || !isOlder(writer, owner) {
		return fmt.Errorf("%s of BundleDeployment %q is written for BundleDeployment %q, which is not older", keyOf(object), found.label, name)
	}
	return nil
}

// isOlder reports whether a BundleDeployment is older than another one. Of two that were created in the same second, the first by name is.
func isOlder(a, b *corev1alpha2.BundleDeployment) bool {
	if !a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.CreationTimestamp.Before(&b.CreationTimestamp)
	}
	return a.Name < b.Name
}
