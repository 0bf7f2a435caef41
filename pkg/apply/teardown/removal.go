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
	// Done is true if no object of the set that belongs to the owner is left, except kept objects.
	Done bool
	// Held is true if the removal waits only for an admin or for users who must delete their custom resources. No watch reports the
	// deletion of these custom resources.
	Held bool
	// Stuck is true if the deletion of every object that is left began more than stuckAfter ago, so that an admin must act.
	Stuck bool
	// Checking is true while the removal waits only for checks of namespaces, which take seconds.
	Checking bool
	// Waiting is a message that says why the removal waits, such as the first object that is left, and the remedy. It is empty if Done is
	// true.
	Waiting string
	// Kept lists the names of objects that the removal keeps, each with the reason, at most 10.
	Kept []string
	// Deleted lists the names of objects that this call deleted, at most 10.
	Deleted []string
}

// Remover removes sets. It is safe for concurrent use by different owners. For one owner, only one call may run at a time.
type Remover struct {
	resources  *livecache.Resources
	namespaces NamespaceChecker
	// manager is the client that lists custom resources, and reads the install namespace. An identity that removes a bundle needs no
	// permission for this.
	manager dynamic.Interface
	clock   clock.PassiveClock
}

// NamespaceChecker checks whether a namespace contains objects of other owners. Check returns false until it has a result.
type NamespaceChecker interface {
	Check(question namespaceuse.Question) (namespaceuse.Answer, bool)
}

// New returns a Remover. manager is the client that lists the custom resources that a removal must not delete.
func New(resources *livecache.Resources, namespaces NamespaceChecker, manager dynamic.Interface, clock clock.PassiveClock) *Remover {
	return &Remover{resources: resources, namespaces: namespaces, manager: manager, clock: clock}
}

// Options are the options of a removal.
type Options struct {
	// As is the identity that sends the requests, except those that list custom resources. It must have a client.
	As identity.Identity
	// CRDs is the policy for CustomResourceDefinitions; empty means Orphan. It is ignored while there are sets to keep.
	CRDs corev1alpha2.CRDDeletion
	// Applied are the sets of the owner's revisions that were applied completely.
	Applied []*object.Set
	// Keep are the sets whose objects are not removed.
	Keep []*object.Set
	// Memory is the owner's cache from earlier calls. Remove updates it.
	Memory *Memory
	// OnePhase is true if Remove must not go on after a phase in which it has deleted an object.
	OnePhase bool
}

// Remove deletes a set's objects in the reverse order of the phases. It begins with a phase only when the objects of the later phases are
// deleted. So custom resources are deleted while their operator runs, webhooks before the workloads that serve them, and workloads before
// the objects that they need. Remove deletes a namespace only if the manager created it for the owner and it contains no objects of other
// owners. Otherwise it keeps the namespace and removes its owner labels. The next call continues where the last one stopped.
//
// Without sets to keep, the policy decides what happens to CustomResourceDefinitions. Orphan keeps them, without owner labels and annotated
// with the package. Delete deletes them. While users have custom resources besides the bundle's own, Delete removes nothing at all, because
// their operator must run to finish their deletion.
//
// With sets to keep, Remove prunes: it does not remove objects that are in one of those sets. It orphans every other
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
		if options.OnePhase && slices.ContainsFunc(results, func(each removed) bool { return each.deleted }) {
			removal.Waiting = "waiting for the deletions of this round"
			return removal, nil
		}
	}
	removal.Done = true
	return removal, nil
}

// maxListed is the maximum length of Kept and Deleted.
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
