package platformoperator

import (
	"cmp"
	"reflect"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/ownership"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

// requestCache keeps the requests of PlatformOperators, because each sync needs those of all PlatformOperators. The zero value is empty.
type requestCache struct {
	lock    sync.Mutex
	cluster resolve.Cluster
	known   map[string]knownRequest
}

// knownRequest is the request of an operator with the objects that it was made from. Objects of a cache never change.
type knownRequest struct {
	operator   *platformv1alpha1.PlatformOperator
	deployment *corev1alpha2.BundleDeployment
	request    resolve.Request
	// isValid is false if the operator has no request: it is refused, or its spec is invalid.
	isValid bool
}

// requests returns the requests of all PlatformOperators except one, sorted. PlatformOperators that are refused, or whose spec is invalid,
// have none. An empty except means all.
func (c *controller) requests(cluster resolve.Cluster, except string) (requests []resolve.Request, err error) {
	all, err := c.operators.List(labels.Everything())
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b *platformv1alpha1.PlatformOperator) int {
		return cmp.Or(a.CreationTimestamp.Time.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	holders := resolve.PackageHolders(all)
	c.requestCache.lock.Lock()
	defer c.requestCache.lock.Unlock()
	before := c.requestCache.known
	if !reflect.DeepEqual(c.requestCache.cluster, cluster) {
		before = nil
	}
	now := make(map[string]knownRequest, len(all))
	requests = make([]resolve.Request, 0, len(all)+1) // the caller adds one
	for _, operator := range all {
		if holders[operator.Spec.Package.Name] != operator {
			continue
		}
		known, err := c.requestOf(operator, cluster, before[operator.Name])
		if err != nil {
			return nil, err
		}
		now[operator.Name] = known
		if known.isValid && operator.Name != except {
			requests = append(requests, known.request)
		}
	}
	c.requestCache.cluster, c.requestCache.known = cluster, now
	return requests, nil
}

// requestOf returns the request of a PlatformOperator: the known one if it was made from the same objects.
func (c *controller) requestOf(operator *platformv1alpha1.PlatformOperator, cluster resolve.Cluster, known knownRequest) (knownRequest, error) {
	deployment, err := c.deployments.Get(operator.Name)
	switch {
	case apierrors.IsNotFound(err):
		deployment = nil
	case err != nil:
		return knownRequest{}, err
	}
	if known.operator == operator && known.deployment == deployment {
		return known, nil
	}
	made := knownRequest{operator: operator, deployment: deployment}
	if deployment == nil || ownership.BelongsTo(deployment, operator) {
		current := upgradestep.CurrentOf(operator.Status, deployment)
		made.request, err = resolve.RequestFor(operator, current.UpgradesFrom(), cluster)
		made.isValid = err == nil // its own sync reports the error
	}
	return made, nil
}
