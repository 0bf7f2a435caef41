package platformoperator

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	configv1 "github.com/openshift/api/config/v1"
	configv1listers "github.com/openshift/client-go/config/listers/config/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// requestFor says to the resolver what the spec wants. The error is the user's or the cluster admin's, as of
// resolve.RequestFor.
func requestFor(operator *platformv1alpha1.PlatformOperator, deployment *corev1alpha2.BundleDeployment, on resolve.Cluster) (resolve.Request, error) {
	// What was never ready may be left downwards too: there is nothing yet that a lower version could lose.
	installed := ""
	switch {
	case operator.Status.Installed == nil:
	case deployment == nil && lost(operator.Status) != nil, deployment != nil && everReady(deployment, beginningOf(deployment)):
		installed = operator.Status.Installed.Version
	}
	return resolve.RequestFor(operator, installed, on)
}

// cluster is what all requests have in common; updating is as of currentClusterVersion.
func (c *controller) cluster() (on resolve.Cluster, updating string, err error) {
	on.KubeVersion = c.kubeVersion
	if on.Version, updating, err = currentClusterVersion(c.clusterVersions); err != nil {
		return on, "", err
	}
	on.Manager, on.Hold, err = configuration(c.managers, c.limits)
	return on, updating, err
}

// currentClusterVersion is status.desired.version of the ClusterVersion: while an update runs, operators must already
// fit the version that is coming. It is empty when the cluster has none. updating is the same while an update runs, else empty.
func currentClusterVersion(lister configv1listers.ClusterVersionLister) (version, updating string, err error) {
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
			updating = version
		}
	}
	return version, updating, nil
}
