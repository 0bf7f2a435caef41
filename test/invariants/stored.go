package invariants

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/openshift/platform-operators/test/environment"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// storedIsListed is the rule that a BundleDeployment's status.revisions lists each revision that has Secrets. The manager would never
// delete the Secrets of an unlisted revision.
func storedIsListed(c *Cluster) error {
	var errs []error
	for _, each := range c.List(secretResource, environment.Namespace) {
		deployment := c.Deployment(each.GetLabels()[labelOf])
		if deployment == nil || deployment.DeletionTimestamp != nil || !isOwnedBy(each, deployment) {
			continue // Kubernetes' garbage collector deletes the Secrets of a removed BundleDeployment
		}
		number, err := strconv.ParseInt(each.GetLabels()[labelNumber], 10, 64)
		isListed := func(revision corev1alpha2.Revision) bool { return revision.Number == number }
		if err != nil || !slices.ContainsFunc(deployment.Status.Revisions, isListed) {
			errs = append(errs, fmt.Errorf("status.revisions of BundleDeployment %q lacks revision %q, which has Secret %q",
				deployment.Name, each.GetLabels()[labelNumber], each.GetName()))
		}
	}
	return errors.Join(errs...)
}
