package status

import (
	"context"
	"slices"
	"sync"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/cli/cluster"
)

// read reads the objects of the report. PlatformOperators come first: without them there is no report, and then four more requests would
// only delay the error. The other reads are concurrent, and what cannot be read is in Objects.Unread.
func (o *Options) read(ctx context.Context) (objects Objects, err error) {
	if objects.Operators, err = o.readOperators(ctx); err != nil {
		return Objects{}, err
	}
	var reading sync.WaitGroup
	var failed [4]error
	reading.Go(func() { objects.ClusterVersion, failed[0] = optional(o.connection.ClusterVersion(ctx)) })
	reading.Go(func() { objects.ClusterOperator, failed[1] = optional(o.connection.ClusterOperator(ctx)) })
	reading.Go(func() { objects.Manager, failed[2] = optional(o.connection.Manager(ctx)) })
	reading.Go(func() { objects.Deployments, failed[3] = o.readDeployments(ctx) })
	reading.Wait()
	for _, err := range failed {
		if err != nil {
			objects.Unread = append(objects.Unread, err.Error())
		}
	}
	slices.Sort(objects.Unread)
	return objects, ctx.Err()
}

// readOperators returns the PlatformOperators to report: all of them, or the one that the command names.
func (o *Options) readOperators(ctx context.Context) ([]platformv1alpha1.PlatformOperator, error) {
	if o.Operator == "" {
		return o.connection.Operators(ctx)
	}
	operator, err := o.connection.Operator(ctx, o.Operator)
	if err != nil {
		return nil, err
	}
	return []platformv1alpha1.PlatformOperator{*operator}, nil
}

// readDeployments returns the BundleDeployments of the PlatformOperators to report. A BundleDeployment has the name of its
// PlatformOperator.
func (o *Options) readDeployments(ctx context.Context) ([]corev1alpha2.BundleDeployment, error) {
	if o.Operator == "" {
		return o.connection.Deployments(ctx)
	}
	deployment, err := optional(o.connection.Deployment(ctx, o.Operator))
	if deployment == nil {
		return nil, err
	}
	return []corev1alpha2.BundleDeployment{*deployment}, nil
}

// optional returns nil for an object that does not exist, or whose API is not served. It returns nil with an error, too, for which clients
// return an empty object.
func optional[T any](object *T, err error) (*T, error) {
	switch {
	case cluster.IsAbsent(err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return object, nil
}
