package platformoperator

import (
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	configv1 "github.com/openshift/api/config/v1"
	configv1listers "github.com/openshift/client-go/config/listers/config/v1"

	"github.com/openshift/platform-operators/pkg/resolve"
)

// readCluster returns the inputs that all requests to the resolver share. update is the version to which the cluster itself is being
// updated; empty if no update is in progress.
func (c *controller) readCluster() (cluster resolve.Cluster, update string, err error) {
	cluster.KubeVersion = c.kubeVersion
	if cluster.Version, update, err = readClusterVersion(c.clusterVersions); err != nil {
		return cluster, "", err
	}
	cluster.Manager, cluster.Hold, err = readManager(c.managers, c.limits)
	return cluster, update, err
}

// versionsInterval is the time after which a PlatformOperator is synced again on a cluster that does not serve ClusterVersion. If the
// cluster begins to serve the kind but has no ClusterVersion object, no event reports that.
const versionsInterval = 30 * time.Second

// checkVersions refuses a PlatformOperator if the cluster does not serve ClusterVersion: without the cluster's version, the manager knows
// neither which bundles are compatible nor when the cluster is updated.
func (c *controller) checkVersions(r *reconciliation) {
	if r.lacksVersions = !c.hasVersions(); r.lacksVersions {
		r.refuse("This cluster does not serve clusterversions.config.openshift.io, which has the cluster's version, and PlatformOperators need OpenShift. " +
			"On OpenShift, wait until the cluster-version operator has restored the CustomResourceDefinition. " +
			"On another cluster, delete the PlatformOperator, and create a BundleDeployment, which does not need OpenShift.")
	}
}

// readClusterVersion returns status.desired.version of the ClusterVersion, because operators must be compatible with the target version of
// an update; empty if there is no ClusterVersion. update is the same version while an update is in progress, else empty.
func readClusterVersion(lister configv1listers.ClusterVersionLister) (version, update string, err error) {
	clusterVersion, err := lister.Get("version")
	if apierrors.IsNotFound(err) {
		return "", "", nil
	}
	if err != nil {
		return "", "", fmt.Errorf("reading ClusterVersion \"version\": %w", err)
	}
	version = clusterVersion.Status.Desired.Version
	for _, condition := range clusterVersion.Status.Conditions {
		if condition.Type == configv1.OperatorProgressing && condition.Status == configv1.ConditionTrue {
			update = version
		}
	}
	return version, update, nil
}
