package invariants

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/scenario"
)

// userResources are the resources whose specs belong to users. A BundleDeployment that a PlatformOperator owns belongs to the manager
// instead.
var userResources = map[schema.GroupResource]bool{
	{Group: "platform.openshift.io", Resource: "platformoperators"}: true,
	{Group: "core.rukpak.io", Resource: "bundles"}:                  true,
	{Group: "core.rukpak.io", Resource: "bundledeployments"}:        true,
	{Group: "core.rukpak.io", Resource: "provisionerclasses"}:       true,
}

// keepsUserSpecs is the rule that the manager does not change the spec of a user's object. A patch must not contain a spec. An update must
// send the spec unchanged.
func keepsUserSpecs(c *Cluster, write scenario.Write) error {
	if !userResources[write.Resource] || write.Subresource != "" || write.Verb == "create" {
		return nil
	}
	if write.Resource == deploymentResource {
		if deployment := c.Deployment(write.Name); deployment == nil || c.operatorOf(deployment) != nil {
			return nil
		}
	}
	sent, live := write.Object(), c.Get(write.Resource, write.Namespace, write.Name)
	if sent == nil || live == nil {
		return nil
	}
	spec, hasSpec := sent.Object["spec"]
	if hasSpec && (write.Verb != "update" || !equality.Semantic.DeepEqual(spec, live.Object["spec"])) {
		return fmt.Errorf("%s changes the spec of a user's object", write.Request)
	}
	return nil
}
