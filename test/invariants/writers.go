package invariants

import (
	"fmt"
	"slices"
	"strings"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/test/environment"
)

// pauseIsRespected is the rule that no object of a bundle is written or deleted while spec.paused is set on its BundleDeployment or
// PlatformOperator. The removal of the BundleDeployment is an exception. The rule applies when the status has observed the paused spec, or
// observationDelay after the pause was set.
func pauseIsRespected(c *Cluster, write scenario.Write) error {
	name := c.deploymentNameOf(write)
	if name == "" {
		return nil
	}
	deployment := c.Deployment(name)
	if deployment == nil || deployment.DeletionTimestamp != nil || !c.isPaused(deployment) {
		return nil
	}
	before := c.delayed()
	earlier := before.Deployment(name)
	if wasPaused := earlier != nil && before.isPaused(earlier); !wasPaused && !c.isPauseObserved(deployment) {
		return nil
	}
	return fmt.Errorf("%s writes to an object of BundleDeployment %q, which is paused", write.Request, name)
}

func (c *Cluster) isPaused(deployment *corev1alpha2.BundleDeployment) bool {
	operator := c.operatorOf(deployment)
	return deployment.Spec.Paused || operator != nil && operator.Spec.Paused
}

// isPauseObserved reports whether the BundleDeployment and its PlatformOperator, as far as they are paused, have observed their latest
// spec.
func (c *Cluster) isPauseObserved(deployment *corev1alpha2.BundleDeployment) bool {
	operator := c.operatorOf(deployment)
	if operator != nil && operator.Spec.Paused && operator.Status.ObservedGeneration != operator.Generation {
		return false
	}
	return !deployment.Spec.Paused || deployment.Status.ObservedGeneration == deployment.Generation
}

// deploymentNameOf returns the name of the BundleDeployment whose object is written or deleted, or "" if the object is not part of a
// bundle.
func (c *Cluster) deploymentNameOf(write scenario.Write) string {
	if name, isBundleObject := strings.CutPrefix(write.FieldManager, corev1alpha2.FieldManagerPrefix); isBundleObject {
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

// oneWriter is the rule that an object that one BundleDeployment applied is updated only under the field manager of that BundleDeployment.
// An older BundleDeployment may also write the object, because it takes the object over. Creations are not checked, because the API server
// refuses them if the object exists.
func oneWriter(c *Cluster, write scenario.Write) error {
	if write.Subresource != "" || !slices.Contains([]string{"update", "patch", "apply"}, write.Verb) {
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
	name, isBundleObject := strings.CutPrefix(write.FieldManager, corev1alpha2.FieldManagerPrefix)
	owner := c.Deployment(found.label)
	switch {
	case !isBundleObject:
		return fmt.Errorf("%s of BundleDeployment %q is written under field manager %q", keyOf(object), found.label, write.FieldManager)
	case name == found.label || owner == nil:
		return nil
	}
	writer := c.Deployment(name)
	if writer == nil || !isOlder(writer, owner) {
		return fmt.Errorf("%s of BundleDeployment %q is written for BundleDeployment %q, which is not older and must not take the object over", keyOf(object), found.label, name)
	}
	return nil
}

// isOlder reports whether BundleDeployment a is older than b. If both were created in the same second, the one whose name sorts first
// counts as older.
func isOlder(a, b *corev1alpha2.BundleDeployment) bool {
	if !a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.CreationTimestamp.Before(&b.CreationTimestamp)
	}
	return a.Name < b.Name
}
