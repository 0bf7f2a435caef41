package permissions

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/apply/identity"
	"github.com/openshift/platform-operators/pkg/apply/livecache"
	"github.com/openshift/platform-operators/pkg/apply/object"
)

const (
	// grantedTime is the time for which a granted permission is cached: long enough for the syncs of a rollout, and for several operators
	// that are installed together.
	grantedTime = 5 * time.Minute
	// maxGranted is the maximum number of cached permissions; the cache is cleared when it is full. Permissions are cached by resource, and
	// by namespace only if they are not granted in all namespaces, so this number is not reached in practice.
	maxGranted = 4096
)

var accessReviews = schema.GroupVersionResource{Group: "authorization.k8s.io", Version: "v1", Resource: "selfsubjectaccessreviews"}

// permission is the permission that one access review checks. An empty namespace means all namespaces, and an empty name all objects.
type permission struct {
	// identity is the name of the identity, as in Identity.Name.
	identity string
	schema.GroupResource
	verb, namespace, name string
}

// Checker uses access reviews to find out what identities are permitted to do. It caches only permissions that are granted. It is safe for
// concurrent use.
type Checker struct {
	mapper *livecache.Mapper
	// manager watches the objects of every identity.
	manager identity.Identity
	clock   clock.PassiveClock

	mu      sync.Mutex
	granted map[permission]time.Time
	// invalidatedAt is the time of the last Invalidate; zero before the first.
	invalidatedAt time.Time
}

// New returns a Checker with an empty cache. manager is the identity that watches the objects of every identity.
func New(mapper *livecache.Mapper, manager identity.Identity, clock clock.PassiveClock) *Checker {
	return &Checker{mapper: mapper, manager: manager, clock: clock, granted: map[permission]time.Time{}}
}

// userOf returns the identity that sends the requests with a verb: the manager for list and watch, otherwise the given identity.
func (c *Checker) userOf(verb string, as identity.Identity) identity.Identity {
	if slices.Contains(clusterVerbs, verb) {
		return c.manager
	}
	return as
}

// Invalidate clears the cached permissions. Callers use it after the API server has denied a request.
func (c *Checker) Invalidate() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.granted)
	c.invalidatedAt = c.clock.Now()
}

// forget drops the cached permissions of an identity, unless it is the manager.
func (c *Checker) forget(as identity.Identity) {
	if as.Name == c.manager.Name {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.granted, func(each permission, _ time.Time) bool { return each.identity == as.Name })
}

// May reports whether an identity has a permission in a namespace, or in the whole cluster if the namespace is empty.
func (c *Checker) May(ctx context.Context, as identity.Identity, verb string, resource schema.GroupResource, namespace string) (bool, error) {
	return c.isPermitted(ctx, as, permission{as.Name, resource, verb, namespace, ""})
}

// MissingVerbs returns those of the verbs that an identity has no permission for on one object. It caches nothing, because there may be many
// objects.
func (c *Checker) MissingVerbs(ctx context.Context, as identity.Identity, resource schema.GroupResource, key object.Key, verbs []string) ([]string, error) {
	var lacking []string
	for _, verb := range verbs {
		if c.isRemembered(permission{as.Name, resource, verb, key.Namespace, ""}) {
			continue
		}
		permitted, err := c.ask(ctx, as, permission{as.Name, resource, verb, key.Namespace, key.Name})
		if err != nil {
			return nil, err
		}
		if !permitted {
			lacking = append(lacking, verb)
		}
	}
	return lacking, nil
}

// isPermitted reports whether an identity has a permission in the permission's namespace or in all namespaces. It also returns true if the
// API server does not serve access reviews or denies them to the identity. For the manager, which usually has its permissions in all
// namespaces, it asks about all namespaces first.
func (c *Checker) isPermitted(ctx context.Context, as identity.Identity, wanted permission) (bool, error) {
	everywhere := wanted
	if as.Name == c.manager.Name {
		everywhere.namespace = ""
	}
	for _, each := range slices.Compact([]permission{everywhere, wanted}) {
		if c.isRemembered(each) {
			return true, nil
		}
		granted, err := c.ask(ctx, as, each)
		if err != nil {
			return false, err
		}
		if granted {
			c.remember(each)
			return true, nil
		}
	}
	return false, nil
}

// ask asks the API server whether an identity has a permission. Without access reviews, it returns true: only the write itself shows then what
// is permitted.
func (c *Checker) ask(ctx context.Context, as identity.Identity, wanted permission) (bool, error) {
	granted, err := review(ctx, as, wanted)
	if apierrors.IsNotFound(err) || apierrors.IsForbidden(err) || apierrors.IsMethodNotSupported(err) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("asking whether %s may %s %s: %w", userName(as), wanted.verb, wanted.GroupResource, err)
	}
	return granted, nil
}

// userName returns the name of an identity for the middle of a sentence.
func userName(as identity.Identity) string {
	if as.Name == "" {
		return "the manager"
	}
	return as.Name
}

func review(ctx context.Context, as identity.Identity, wanted permission) (bool, error) {
	attributes := map[string]any{"verb": wanted.verb, "group": wanted.Group, "resource": wanted.Resource, "namespace": wanted.namespace, "name": wanted.name}
	answer, err := as.Dynamic.Resource(accessReviews).Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": accessReviews.GroupVersion().String(), "kind": "SelfSubjectAccessReview",
		"spec": map[string]any{"resourceAttributes": attributes},
	}}, metav1.CreateOptions{})
	if err != nil {
		return false, err
	}
	allowed, _, err := unstructured.NestedBool(answer.Object, "status", "allowed")
	return allowed, err
}

func (c *Checker) isRemembered(wanted permission) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.granted[wanted]
	return ok && c.clock.Since(at) < grantedTime
}

func (c *Checker) remember(granted permission) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.granted) >= maxGranted {
		clear(c.granted)
	}
	c.granted[granted] = c.clock.Now()
}

// wasInvalidated reports whether Invalidate was called within grantedTime. A rules review may then be wrong, because one authorizer can
// deny a permission that a different one lists. An access review is not affected.
func (c *Checker) wasInvalidated() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.invalidatedAt.IsZero() && c.clock.Since(c.invalidatedAt) < grantedTime
}
