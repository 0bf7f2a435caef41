package invariants

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/scenario"
)

// keepsCustomResources is the rule that a CustomResourceDefinition is deleted only during the removal of a BundleDeployment whose
// deletion.crds is Delete, and only while users have no custom resources of its kind. A custom resource is deleted only if a revision lists
// it, or if its metadata proves that a BundleDeployment applied it.
func keepsCustomResources(c *Cluster, write scenario.Write) error {
	if write.Verb != "delete" {
		return nil
	}
	object := c.Get(write.Resource, write.Namespace, write.Name)
	if object == nil {
		return nil
	}
	if write.Resource != definitionResource {
		return c.checkCustomResourceDeletion(write.Resource, object)
	}
	names := marksOf(object).owners()
	for _, name := range names {
		deployment := c.Deployment(name)
		if deployment != nil && deployment.DeletionTimestamp != nil && c.crdPolicy(deployment) == corev1alpha2.CRDsDelete {
			return c.checkNoUserResources(object, deployment)
		}
	}
	return fmt.Errorf("%s is deleted with all its custom resources, but none of the BundleDeployments %q is being removed with deletion.crds Delete",
		keyOf(object), names)
}

// checkCustomResourceDeletion returns an error if the object is a custom resource that no revision lists and that no BundleDeployment
// provably applied. It does not check the manager's kinds or kinds without a CustomResourceDefinition.
func (c *Cluster) checkCustomResourceDeletion(resource schema.GroupResource, object *unstructured.Unstructured) error {
	if resource.Group == corev1alpha2.GroupName || c.Get(definitionResource, "", resource.String()) == nil {
		return nil
	}
	for _, deployment := range c.Deployments() {
		if isListed(c.revisions(deployment), keyOf(object)) {
			return nil
		}
	}
	if found := marksOf(object); found.label != "" && found.prove(found.label) {
		return nil // the revision that listed the object is lost
	}
	return fmt.Errorf("custom resource %s is deleted, but no stored revision lists it", keyOf(object))
}

// crdPolicy returns the deletion policy for CustomResourceDefinitions: that of the BundleDeployment or, if it has none, that of its
// ProvisionerClass. Without a ProvisionerClass it is Orphan.
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

// checkNoUserResources returns an error if a custom resource of the definition's kind exists that no revision of the BundleDeployment
// lists. It ignores custom resources that did not exist observationDelay ago, because the manager may not have seen them.
func (c *Cluster) checkNoUserResources(definition *unstructured.Unstructured, deployment *corev1alpha2.BundleDeployment) error {
	group, _, _ := unstructured.NestedString(definition.Object, "spec", "group")
	plural, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "plural")
	resource := schema.GroupResource{Group: group, Resource: plural}
	for _, each := range c.delayed().List(resource, "") {
		if c.Get(resource, each.GetNamespace(), each.GetName()) != nil && !isListed(c.revisions(deployment), keyOf(each)) {
			return fmt.Errorf("%s is deleted, but %s, which a user created, still exists", keyOf(definition), keyOf(each))
		}
	}
	return nil
}
