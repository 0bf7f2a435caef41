package platformoperator

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/ownership"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// Inventory is what this controller needs to know of the cluster beside its catalogs. A seam for tests.
type Inventory interface {
	// Kinds and Foreign are as in resolve.World. They read memory only.
	Kinds() []resolve.Kind
	Foreign() []resolve.Foreign
}

// decide asks the resolver about all PlatformOperators, and gives its answer to this one's request.
func (s *state) decide(request resolve.Request) (resolve.Decision, error) {
	all, err := s.operators.List(labels.Everything())
	if err != nil {
		return resolve.Decision{}, err
	}
	requests := []resolve.Request{request}
	for _, other := range all {
		if other.Name == s.operator.Name || packageHolder(other, all) != other.Name {
			continue
		}
		deployment, err := s.deployments.Get(other.Name)
		switch {
		case apierrors.IsNotFound(err):
			deployment = nil
		case err != nil:
			return resolve.Decision{}, err
		case !ownership.BelongsTo(deployment, other):
			continue
		}
		if theirs, err := requestFor(other, deployment, s.on); err == nil { // else it says so itself, and gets nothing
			requests = append(requests, theirs)
		}
	}
	world := resolve.World{Catalogs: s.catalogs.For, Unlisted: s.catalogs.Unlisted(), Kinds: s.inventory.Kinds(), Foreign: s.inventory.Foreign(), Providers: s.askProviders}
	return resolve.Together(requests, world)[s.operator.Name], nil
}

// kin remembers which operators were decided together and how, so that each hears of what becomes of the others.
type kin struct {
	lock sync.Mutex
	of   map[string]relation
}

type relation struct {
	with []string
	// gets is what was decided about the operator, as far as it matters to the others.
	gets string
}

// set remembers what was decided about an operator and gives its kin, old and new, if that is not what it was: they have to
// look again.
func (k *kin) set(name string, decision resolve.Decision) (news []string) {
	now := relation{with: decision.Kin, gets: decision.Reason}
	if decision.Chosen != nil {
		now.gets = decision.Chosen.Bundle.Name
	}
	k.lock.Lock()
	defer k.lock.Unlock()
	before := k.of[name]
	if slices.Equal(before.with, now.with) && (before.gets == now.gets || len(now.with) == 0) {
		return nil
	}
	delete(k.of, name)
	if len(now.with) > 0 {
		k.of[name] = now
	}
	news = slices.Concat(before.with, now.with)
	slices.Sort(news)
	return slices.Compact(news)
}

// get gives an operator's kin.
func (k *kin) get(name string) []string {
	k.lock.Lock()
	defer k.lock.Unlock()
	return slices.Clone(k.of[name].with)
}

// decisiveInformer is an informer of PlatformOperators that tells of what matters to operators that are decided together with
// one: that it comes or goes, that its spec changes, and that something else is installed.
type decisiveInformer struct{ cache.SharedIndexInformer }

// AddEventHandler registers a handler for what is left.
func (i decisiveInformer) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	return i.SharedIndexInformer.AddEventHandler(decisiveHandler{handler})
}

type decisiveHandler struct{ cache.ResourceEventHandler }

// OnUpdate passes an update on if it matters to others.
func (h decisiveHandler) OnUpdate(before, after any) {
	old, okOld := before.(*platformv1alpha1.PlatformOperator)
	now, okNow := after.(*platformv1alpha1.PlatformOperator)
	if okOld && okNow && old.Generation == now.Generation && old.DeletionTimestamp.Equal(now.DeletionTimestamp) &&
		equality.Semantic.DeepEqual(old.Status.Installed, now.Status.Installed) && equality.Semantic.DeepEqual(old.Status.Target, now.Status.Target) {
		return
	}
	h.ResourceEventHandler.OnUpdate(before, after)
}
