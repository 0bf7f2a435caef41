package cluster

import (
	"context"
	"errors"
	"fmt"

	configv1 "github.com/openshift/api/config/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/cli/operators"
	"github.com/openshift/platform-operators/pkg/pager"
)

const (
	// ClusterOperatorName is the name of the ClusterOperator that the manager writes.
	ClusterOperatorName = "platform-operators-aggregated"
	// clusterVersionName is the name of the only ClusterVersion.
	clusterVersionName = "version"
	// leaseName is the name of the manager's Lease for leader election; a test compares it with the name in the manager's code.
	leaseName = "platform-operators-lock"
)

// Operators returns all PlatformOperators, in the API server's order, which is by name.
func (c *Connection) Operators(ctx context.Context) ([]platformv1alpha1.PlatformOperator, error) {
	var all []platformv1alpha1.PlatformOperator
	add := func(page *platformv1alpha1.PlatformOperatorList) (bool, error) {
		all = append(all, page.Items...)
		return true, nil
	}
	err := pager.Each(ctx, c.platform.PlatformOperators().List, metav1.ListOptions{}, add)
	err = c.explain(err, subject{"PlatformOperators", "list", "platformoperators.platform.openshift.io"})
	if errors.Is(err, ErrNotServed) {
		return nil, ErrNoManager
	}
	return all, err
}

// Operator returns one PlatformOperator. If it does not exist, the error is a NoOperatorError.
func (c *Connection) Operator(ctx context.Context, name string) (*platformv1alpha1.PlatformOperator, error) {
	operator, err := c.platform.PlatformOperators().Get(ctx, name, metav1.GetOptions{})
	switch {
	case IsNotServed(err):
		return nil, ErrNoManager
	case apierrors.IsNotFound(err):
		return nil, &NoOperatorError{Name: name, Similar: c.similarOperators(ctx, name), plugin: c.plugin}
	}
	return operator, c.explain(err, subject{fmt.Sprintf("PlatformOperator %q", name), "get", "platformoperators.platform.openshift.io"})
}

// Deployments returns all BundleDeployments.
func (c *Connection) Deployments(ctx context.Context) ([]corev1alpha2.BundleDeployment, error) {
	var all []corev1alpha2.BundleDeployment
	add := func(page *corev1alpha2.BundleDeploymentList) (bool, error) {
		all = append(all, page.Items...)
		return true, nil
	}
	err := pager.Each(ctx, c.bundles.BundleDeployments().List, metav1.ListOptions{}, add)
	return all, c.explain(err, subject{"BundleDeployments", "list", "bundledeployments.core.rukpak.io"})
}

// Deployment returns one BundleDeployment.
func (c *Connection) Deployment(ctx context.Context, name string) (*corev1alpha2.BundleDeployment, error) {
	deployment, err := c.bundles.BundleDeployments().Get(ctx, name, metav1.GetOptions{})
	return deployment, c.explain(err, subject{fmt.Sprintf("BundleDeployment %q", name), "get", "bundledeployments.core.rukpak.io"})
}

// Manager returns the PlatformOperatorManager.
func (c *Connection) Manager(ctx context.Context) (*operatorv1alpha1.PlatformOperatorManager, error) {
	manager, err := c.operator.PlatformOperatorManagers().Get(ctx, operatorv1alpha1.PlatformOperatorManagerName, metav1.GetOptions{})
	return manager, c.explain(err, subject{`PlatformOperatorManager "cluster"`, "get", "platformoperatormanagers.operator.openshift.io"})
}

// ClusterOperator returns the ClusterOperator that the manager writes. Kubernetes without OpenShift does not serve the API.
func (c *Connection) ClusterOperator(ctx context.Context) (*configv1.ClusterOperator, error) {
	operator, err := c.config.ClusterOperators().Get(ctx, ClusterOperatorName, metav1.GetOptions{})
	return operator, c.explain(err, subject{fmt.Sprintf("ClusterOperator %q", ClusterOperatorName), "get",
		"clusteroperators.config.openshift.io"})
}

// ClusterVersion returns the ClusterVersion. Kubernetes without OpenShift does not serve the API.
func (c *Connection) ClusterVersion(ctx context.Context) (*configv1.ClusterVersion, error) {
	version, err := c.config.ClusterVersions().Get(ctx, clusterVersionName, metav1.GetOptions{})
	return version, c.explain(err, subject{fmt.Sprintf("ClusterVersion %q", clusterVersionName), "get", "clusterversions.config.openshift.io"})
}

// Lease returns the manager's Lease, which the leader renews while it runs.
func (c *Connection) Lease(ctx context.Context) (*coordinationv1.Lease, error) {
	lease, err := c.leases.Leases(operators.ManagerNamespace).Get(ctx, leaseName, metav1.GetOptions{})
	return lease, c.explain(err, subject{
		fmt.Sprintf("Lease %q", leaseName), "get", "leases.coordination.k8s.io -n " + operators.ManagerNamespace,
	})
}
