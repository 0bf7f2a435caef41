package status

import (
	"context"
	"slices"
	"sync"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/cli/cluster"
)

// Read reads the objects of a report about one PlatformOperator, or about all of them if operator is empty. PlatformOperators come first:
// without them there is no report, and then four more requests would only delay the error. The other reads are concurrent, and what cannot
// be read is in Objects.Unread.
func Read(ctx context.Context, from *cluster.Connection, operator string) (objects Objects, err error) {
	if objects.Operators, err = readOperators(ctx, from, operator); err != nil {
		return Objects{}, err
	}
	var reading sync.WaitGroup
	var failed [4]error
	reading.Go(func() { objects.ClusterVersion, failed[0] = optional(from.ClusterVersion(ctx)) })
	reading.Go(func() { objects.ClusterOperator, failed[1] = optional(from.ClusterOperator(ctx)) })
	reading.Go(func() { objects.Manager, failed[2] = optional(from.Manager(ctx)) })
	reading.Go(func() { objects.Deployments, failed[3] = readDeployments(ctx, from, operator) })
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

// readDeployments returns the BundleDeployments that the PlatformOperators to report may own. The manager gives a BundleDeployment the name of
// its PlatformOperator.
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
