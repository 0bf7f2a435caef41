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

// observationDelay is the maximum time that the manager takes to react to a change by another client. Until then, a write of the manager
// may be based on the state before the change.
const observationDelay = time.Second

// deletesByUID is the rule that a delete has the UID of the object as a precondition. Without the UID, a delete could hit a later object
// with the same name. A collection delete cannot have a UID, so it violates the rule.
func deletesByUID(_ *Cluster, write scenario.Write) error {
	switch {
	case write.Verb == "deletecollection":
		return fmt.Errorf("%s deletes a collection, and with it objects that the manager may not have read", write.Request)
	case write.Verb != "delete":
		return nil
	}
	if preconditions := write.DeleteOptions().Preconditions; preconditions == nil || preconditions.UID == nil || *preconditions.UID == "" {
		return fmt.Errorf("%s has no UID precondition, so it could delete a later object of the same name", write.Request)
	}
	return nil
}

// deletesOwnObjects is the rule that the manager deletes only its own records and objects of BundleDeployments. Owner labels together with
// the field manager prove that an object belongs to a BundleDeployment, even if the revision that listed the object is lost. An object with
// only the field manager must be in a stored revision. Any other object, such as one that a backup restored with only the labels, must be
// in a revision that is or was active.
func deletesOwnObjects(c *Cluster, write scenario.Write) error {
	if write.Verb != "delete" || isManagerObject(c, write) {
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
	return fmt.Errorf("%s is deleted, but its labels, its field managers and the stored revisions do not prove that a BundleDeployment owns it",
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

// isManagerObject reports whether a delete affects one of the manager's own records: a BundleDeployment that a PlatformOperator owns, a
// Secret that stores a revision, a Helm release of rukpak, a ConfigMap with a plan, or the ClusterRole for the namespace check. It also returns
// true for a BundleDeployment, Secret or ConfigMap that does not exist.
func isManagerObject(c *Cluster, write scenario.Write) bool {
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
		return write.Namespace == environment.Namespace && kind == secretType || kind == "helm.sh/release.v1" // a release of rukpak
	case configMapResource:
		configMap := c.Get(configMapResource, write.Namespace, write.Name)
		return configMap == nil || write.Namespace == environment.Namespace && configMap.GetLabels()[corev1alpha2.LabelPlanOf] != ""
	case clusterRoleResource:
		return write.Name == "platform-operators:namespace-check"
	}
	return false
}
