package invariants

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/test/environment"
)

// moment is the time within which the manager sees a change. A write of an earlier decision may follow the change.
const moment = time.Second

// deletesByUID is the rule that a delete has the UID of the object as a precondition. Otherwise it could delete a later object of the same
// name. A delete of a collection has no such precondition.
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

// deletesOwnObjects is the rule that, beside the manager's own records, only objects of a BundleDeployment are deleted. An object belongs
// to a BundleDeployment if labels and field manager prove it, as they do for an object of a lost revision. With the field manager alone, a
// stored revision must list the object. With the labels alone, as on an object from a backup, a revision that was active must list it.
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
		hasManager := slices.Contains(found.managers, name)
		if found.prove(name) || hasManager && isListed(stored, keyOf(object)) || isListed(activated(deployment, stored), keyOf(object)) {
			return nil
		}
	}
	return fmt.Errorf("%s is deleted, and its labels, its field managers and the stored revisions do not prove that a BundleDeployment owns it",
		keyOf(object))
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
