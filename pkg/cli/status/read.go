package status

import (
	"context"
	"slices"
	"sync"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/cli/cluster"
)

// Read reads the objects for a report about one PlatformOperator, or about all of them if operator is empty. It reads PlatformOperators
// first: without them there is no report, and five more requests would only delay the error. The other reads are concurrent, and
// Objects.Unread lists what could not be read.
func Read(ctx context.Context, from *cluster.Connection, operator string) (objects Objects, err error) {
	if objects.Operators, err = readOperators(ctx, from, operator); err != nil {
		return Objects{}, err
	}
	err = objects.addCluster(ctx, from, func() (err error) {
		objects.Deployments, err = readDeployments(ctx, from, operator)
		return err
	})
	return objects, err
}

// ReadDeployment reads the objects for a report about one BundleDeployment; it does not read PlatformOperators. If an object other than the
// BundleDeployment cannot be read, it is listed in Objects.Unread.
func ReadDeployment(ctx context.Context, from *cluster.Connection, name string) (objects Objects, err error) {
	deployment, err := from.Deployment(ctx, name)
	if err != nil {
		return Objects{}, err
	}
	objects.Deployments = []corev1alpha2.BundleDeployment{*deployment}
	err = objects.addCluster(ctx, from, func() error { return nil })
	return objects, err
}

// addCluster adds the objects that hold the cluster's verdict, and calls read concurrently.
func (o *Objects) addCluster(ctx context.Context, from *cluster.Connection, read func() error) error {
	var reading sync.WaitGroup
	var failed [5]error
	reading.Go(func() { o.ClusterVersion, failed[0] = optional(from.ClusterVersion(ctx)) })
	reading.Go(func() { o.ClusterOperator, failed[1] = optional(from.ClusterOperator(ctx)) })
	reading.Go(func() { o.Manager, failed[2] = optional(from.Manager(ctx)) })
	reading.Go(func() { o.Lease, failed[3] = optional(from.Lease(ctx)) })
	reading.Go(func() { failed[4] = read() })
	reading.Wait()
	o.UnreadDeployments = failed[4] != nil
	for _, err := range failed {
		if err != nil {
			o.Unread = append(o.Unread, err.Error())
		}
	}
	slices.Sort(o.Unread)
	return ctx.Err()
}

// readOperators returns the PlatformOperators to report: all of them, or the one that the command names.
func readOperators(ctx context.Context, from *cluster.Connection, name string) ([]platformv1alpha1.PlatformOperator, error) {
	if name == "" {
		return from.Operators(ctx)
	}
	operator, err := from.Operator(ctx, name)
	if err != nil {
		return nil, err
	}
	return []platformv1alpha1.PlatformOperator{*operator}, nil
}

// readDeployments returns the BundleDeployments that may belong to the PlatformOperators in the report. The manager gives a
// BundleDeployment the same name as its PlatformOperator.
func readDeployments(ctx context.Context, from *cluster.Connection, name string) ([]corev1alpha2.BundleDeployment, error) {
	if name == "" {
		return from.Deployments(ctx)
	}
	deployment, err := optional(from.Deployment(ctx, name))
	if deployment == nil {
		return nil, err
	}
	return []corev1alpha2.BundleDeployment{*deployment}, nil
}

// optional returns nil without an error if the object does not exist or its API is not served. For any other error, it returns that error
// with nil instead of the empty object that clients return.
func optional[T any](object *T, err error) (*T, error) {
	switch {
	case cluster.IsAbsent(err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return object, nil
}
