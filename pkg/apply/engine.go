package apply

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/utils/clock"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/livecache"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/apply/permissions"
	"github.com/openshift/platform-operators/pkg/apply/reconcile"
	"github.com/openshift/platform-operators/pkg/apply/teardown"
	"github.com/openshift/platform-operators/pkg/background"
	"github.com/openshift/platform-operators/pkg/namespaceuse"
	"github.com/openshift/platform-operators/pkg/plan"
	"github.com/openshift/platform-operators/pkg/storedobjects"
)

// Config holds the dependencies of an Engine. Every field is required.
type Config struct {
	// Dynamic is the manager's client. It watches and reads all objects, and writes them if a call specifies no other identity. It should
	// have WarningHandler and no rate limit of its own.
	Dynamic dynamic.Interface
	// Metadata is the client that lists the objects of a namespace before it is deleted. pager.Bounded must wrap the transport of Metadata
	// and Dynamic.
	Metadata  metadata.Interface
	Discovery discovery.CachedDiscoveryInterface
	Clock     clock.PassiveClock
	// Changed is called with the owner of an object that changed or was deleted. It must not block.
	Changed func(owner string)
	// Deployed returns the creation time of the named BundleDeployment from a cache. exists is false if there is no such BundleDeployment.
	Deployed func(name string) (created time.Time, exists bool)
	// Tasks runs the background tasks of the Engine, so that a caller can wait for them. Watches are not among these tasks.
	Tasks *background.Tasks
}

// Engine applies sets of objects and watches them. It is safe for concurrent use by different owners. For one owner, only one call may run
// at a time.
type Engine struct {
	manager     Identity
	clock       clock.PassiveClock
	resources   *livecache.Resources
	permissions *permissions.Checker
	remover     *teardown.Remover
	namespaces  *namespaceuse.Checker
	stored      *storedobjects.Checker
	deployments object.Deployments
	// isOneRound is true if the process ends after one round: no later call knows what this one remembers.
	isOneRound bool

	mu     sync.Mutex
	owners map[string]*ownerState
}

// ownerState is the engine's cache for one owner. After a restart of the manager, the cache is rebuilt without any write.
type ownerState struct {
	name     string
	objects  *reconcile.Memory
	removal  *teardown.Memory
	warnings *warningMemory
	services *serviceMemory
	pods     *podMemory
	// ignores is nil before the first call of UnmatchedIgnores.
	ignores *ignoreMemory
}

// New builds an Engine. It returns an error if a field of config is not set. The watches end with the context.
func New(ctx context.Context, config Config) (*Engine, error) {
	if config.Dynamic == nil || config.Metadata == nil || config.Discovery == nil || config.Clock == nil || config.Changed == nil || config.Deployed == nil || config.Tasks == nil {
		return nil, errors.New("building the apply engine: a field of its Config is not set")
	}
	client := config.Discovery.RESTClient()
	mapper := livecache.NewMapper(livecache.PagesOf(client), config.Clock)
	caches := livecache.NewCaches(ctx, config.Dynamic, config.Clock, config.Changed)
	if config.Tasks.Await {
		caches = caches.ForOneRound()
	}
	resources := livecache.NewResources(mapper, caches, config.Changed)
	namespaces := namespaceuse.New(ctx, namespaceuse.Config{
		Metadata: config.Metadata, Dynamic: config.Dynamic, Discovery: discovery.NewDiscoveryClient(client),
		RoleLabel: corev1alpha2.LabelAggregateToBundles, Clock: config.Clock, Answered: config.Changed, Tasks: config.Tasks,
	})
	return &Engine{
		manager:     Identity{Dynamic: config.Dynamic},
		clock:       config.Clock,
		resources:   resources,
		permissions: permissions.New(mapper, Identity{Dynamic: config.Dynamic}, config.Clock),
		remover:     teardown.New(resources, namespaces, config.Dynamic, config.Clock),
		namespaces:  namespaces,
		stored:      storedobjects.New(ctx, storedobjects.Config{Clock: config.Clock, Done: config.Changed, Tasks: config.Tasks}),
		deployments: config.Deployed,
		isOneRound:  config.Tasks.Await,
		owners:      map[string]*ownerState{},
	}, nil
}

// ForgetKinds makes the next call for any owner read which kinds the cluster serves.
func (e *Engine) ForgetKinds() { e.resources.Mapper.InvalidateAll() }

// RemoveOptions are the options of Remove.
type RemoveOptions struct {
	// As is the identity that sends the requests. The zero Identity means the manager.
	As Identity
	// CRDs is the policy for CustomResourceDefinitions; empty means Orphan. Remove ignores it while there are sets to keep.
	CRDs corev1alpha2.CRDDeletion
	// Applied are the sets of completely applied revisions, as in Options.Applied.
	Applied []*Set
}

// Remove removes the objects of a set, except those that are also in one of the sets to keep; see teardown.Remover. The next call continues
// where the last one stopped.
func (e *Engine) Remove(ctx context.Context, set *Set, options RemoveOptions, keep ...*Set) (Removal, error) {
	removal, err := e.remover.Remove(ctx, set, teardown.Options{
		As: options.As.Or(e.manager), CRDs: options.CRDs, Applied: options.Applied, Keep: keep, Memory: e.stateOf(set.Owner().Name).removal,
		OnePhase: e.isOneRound,
	})
	return removal, object.ForUser(err, options.As.Name)
}

// Leftovers finds the objects of an owner that still exist, without stored revisions, and returns them as a set to remove; see
// teardown.Remover.
func (e *Engine) Leftovers(ctx context.Context, owner Owner, installNamespace string) (*Set, error) {
	return e.remover.Leftovers(ctx, owner, installNamespace, e.stateOf(owner.Name).removal)
}

// MissingPermissions returns the permissions that an identity lacks to apply a set, and those that the manager lacks to watch the objects
// of the set. The caller can check them before it writes the set; see permissions.Checker. The zero Identity means the manager.
func (e *Engine) MissingPermissions(ctx context.Context, as Identity, set *Set, options PermissionOptions) ([]corev1alpha2.MissingPermission, error) {
	return e.permissions.Missing(ctx, as.Or(e.manager), set, options)
}

// ServesAll reports whether the cluster serves all of these kinds. If it does not, the engine notifies the owner when a missing kind may be
// served.
func (e *Engine) ServesAll(ctx context.Context, owner Owner, kinds []schema.GroupVersionKind) (bool, error) {
	for _, kind := range kinds {
		_, err := e.resources.Mapper.Mapping(ctx, owner.Name, kind)
		if meta.IsNoMatchError(err) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// InvalidatePermissions clears the cached permissions. Callers use it after the API server has denied a request.
func (e *Engine) InvalidatePermissions() { e.permissions.Invalidate() }

// InstallNamespace reads the state of an install namespace: whether it exists, whether it is being deleted, and whether the manager created
// it. A namespace that does not exist is not an error.
func (e *Engine) InstallNamespace(ctx context.Context, owner Owner, name string) (plan.InstallNamespace, error) {
	found := plan.InstallNamespace{Name: name}
	live, err := e.manager.Dynamic.Resource(corev1.SchemeGroupVersion.WithResource("namespaces")).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return found, nil
	}
	if err != nil {
		return found, fmt.Errorf("reading the install namespace %q: %w", name, err)
	}
	return reconcile.InstallNamespaceOf(found, live, owner), nil
}

// KeepWatches releases an owner's watches of kinds that none of the sets contains, and removes the cached state of objects that none of
// them contains. A watch stops when no owner uses it.
func (e *Engine) KeepWatches(owner Owner, sets ...*Set) {
	wanted := map[schema.GroupVersionResource]bool{}
	for _, set := range sets {
		for _, phase := range set.Phases() {
			for _, desired := range phase.Objects {
				if mapping := e.resources.Mapper.KnownMapping(desired.GVK); mapping != nil {
					wanted[mapping.Resource] = true
				}
			}
		}
	}
	e.resources.Caches.Keep(owner.Name, wanted)
	e.stateOf(owner.Name).objects.Keep(sets...)
	e.stateOf(owner.Name).pods.keep(sets)
}

// RevokeStaleGrants keeps revoking permissions that no check of namespaces needs, until the context ends; see namespaceuse.Checker.
func (e *Engine) RevokeStaleGrants(ctx context.Context) { e.namespaces.RevokeStaleGrants(ctx) }

// Release removes the cached state and the watches of an owner that was deleted.
func (e *Engine) Release(owner string) {
	e.resources.Release(owner)
	e.namespaces.Forget(owner)
	e.stored.Forget(owner)
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.owners, owner)
}

func (e *Engine) stateOf(owner string) *ownerState {
	e.mu.Lock()
	defer e.mu.Unlock()
	found := e.owners[owner]
	if found == nil {
		found = &ownerState{
			name: owner, objects: reconcile.NewMemory(), removal: teardown.NewMemory(),
			warnings: &warningMemory{first: map[string]Key{}}, services: &serviceMemory{states: map[Key]serviceState{}},
			pods: &podMemory{states: map[Key]podState{}},
		}
		e.owners[owner] = found
	}
	return found
}
