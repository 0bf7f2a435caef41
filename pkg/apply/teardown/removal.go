package teardown

import (
	"context"
	"slices"

	"k8s.io/client-go/dynamic"
	"k8s.io/utils/clock"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/identity"
	"github.com/openshift/platform-operators/pkg/apply/livecache"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/apply/pacing"
	"github.com/openshift/platform-operators/pkg/namespaceuse"
)

// Removal is the progress of the removal of a set.
type Removal struct {
	// Done is whether no object of the set that belongs to the owner is left.
	Done bool
	// Held is whether every object that is left waits for a user to act, and some wait for users' custom resources. No watch
	// reports the end of those.
	Held bool
	// Stuck is whether every object that is left was deleted more than stuckAfter ago: an admin has to act.
	Stuck bool
	// Checking is true while the removal waits for nothing but checks of namespaces, which take seconds.
	Checking bool
	// Waiting names the objects that are still being deleted, or why none is, and what to do about it; empty when Done.
	Waiting string
	// Kept names objects that the removal keeps, and why, at most 10.
	Kept []string
	// Deleted names objects that this call deleted, at most 10.
	Deleted []string
}

// Remover removes sets. It is safe for concurrent use, one call an owner at a time.
type Remover struct {
	resources  *livecache.Resources
	namespaces NamespaceChecker
	// manager lists custom resources, which an identity that removes a bundle need not see.
	manager dynamic.Interface
	clock   clock.PassiveClock
}

// NamespaceChecker checks whether a namespace holds objects of other owners. Check returns false until it has an answer.
type NamespaceChecker interface {
	Check(question namespaceuse.Question) (namespaceuse.Answer, bool)
}

// New returns a Remover. The manager's client lists the custom resources that a removal must not delete.
func New(resources *livecache.Resources, namespaces NamespaceChecker, manager dynamic.Interface, clock clock.PassiveClock) *Remover {
	return &Remover{resources: resources, namespaces: namespaces, manager: manager, clock: clock}
}

// Options configure a removal.
type Options struct {
	// As is who sends the requests, except lists of custom resources.
	As identity.Identity
	// CRDs is the policy for CustomResourceDefinitions; empty means Orphan. It is ignored while there are sets to keep.
	CRDs corev1alpha2.CRDDeletion
	// Applied are the sets of the owner's revisions that were applied completely.
	Applied []*object.Set
	// Keep are sets whose objects stay.
	Keep []*object.Set
	// Memory is the owner's cache from earlier calls.
	Memory *Memory
}

// Remove deletes a set's objects in the reverse order of the phases, and begins with a phase only when the later ones are gone.
// So custom resources go while their operator runs, webhooks before the workloads that serve them, and workloads before what
// those need. Remove deletes a namespace only if the manager created it for the owner and it holds no objects of other owners.
// Otherwise it keeps the namespace and removes its owner labels. Calling Remove again continues where it stopped.
//
// Without sets to keep, the policy decides about CustomResourceDefinitions. Orphan keeps them, without owner labels and annotated
// with the package. Delete deletes them. While custom resources exist beside the bundle's own, Delete removes nothing at all,
// because their operator has to run to finish their deletion.
//
// With sets to keep, Remove prunes: it leaves the objects that those sets contain too. It orphans every other
// CustomResourceDefinition, whatever the policy, because an upgrade must not lose data.
func (r *Remover) Remove(ctx context.Context, set *object.Set, options Options) (Removal, error) {
	t := &teardown{
		resources: r.resources, namespaces: r.namespaces, clock: r.clock, manager: r.manager, client: options.As.Dynamic, owner: set.Owner(), set: set,
		keep: options.Keep, applied: options.Applied, memory: options.Memory, window: pacing.NewWindow(r.clock),
		deleteCRDs: options.CRDs == corev1alpha2.CRDsDelete && len(options.Keep) == 0,
	}
	var removal Removal
	if t.deleteCRDs {
		held, err := t.inUse(ctx)
		if err != nil || held != "" {
			removal.Waiting, removal.Held = held, held != ""
			return removal, err
		}
	}
	for _, phase := range slices.Backward(set.Phases()) {
		results, err := t.phase(ctx, phase)
		if err != nil {
			return removal, err
		}
		removal.add(results)
		if removal.Waiting = waitingFor(results); removal.Waiting != "" {
			removal.Held, removal.Stuck = heldUp(results)
			removal.Checking = onlyChecking(results)
			return removal, nil
		}
	}
	removal.Done = true
	return removal, nil
}

// maxListed bounds the lists of a Removal.
const maxListed = 10

func (r *Removal) add(results []removed) {
	for _, result := range results {
		if result.kept != "" && len(r.Kept) < maxListed {
			r.Kept = append(r.Kept, result.key.String()+": "+result.kept)
		}
		if result.deleted && len(r.Deleted) < maxListed {
			r.Deleted = append(r.Deleted, result.key.String())
		}
	}
}
