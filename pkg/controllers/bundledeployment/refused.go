package bundledeployment

import (
	"errors"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/openshift/library-go/pkg/controller/factory"

	"github.com/openshift/platform-operators/pkg/apply"
)

// recordRefusal records the CustomResourceDefinition that an apply refused to change, if err is such a refusal; otherwise it clears the
// record. The record is needed because the engine watches only objects that a BundleDeployment owns. It does not notice when the former
// owner that is recorded on a kept definition changes.
func (c *controller) recordRefusal(deployment string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if refusal := (*apply.Refusal)(nil); errors.As(err, &refusal) && refusal.Object.IsCRD() {
		c.refusedDefinitions[deployment] = refusal.Object.Name
		return
	}
	delete(c.refusedDefinitions, deployment)
}

// deploymentsOfDefinition returns the names of the BundleDeployments whose last apply refused to change a CustomResourceDefinition.
func (c *controller) deploymentsOfDefinition(definition runtime.Object) []string {
	changed := factory.ObjectNameToKey(definition)
	c.mu.Lock()
	defer c.mu.Unlock()
	var names []string
	for deployment, refused := range c.refusedDefinitions {
		if refused == changed {
			names = append(names, deployment)
		}
	}
	return names
}
