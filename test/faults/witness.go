package faults

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/store"
)

const (
	// Moment is how long status may claim what is not so while nobody but the manager changes anything: the time that an
	// answer takes.
	Moment = time.Second
	// look is how often a witness looks.
	look = 250 * time.Millisecond
	// maxLies bounds what a witness tells.
	maxLies = 10
)

// Witness watches one BundleDeployment and holds what its status claims (see claims) against the cluster. It cannot tell who
// made a claim untrue, so that it is told how long that may take to be seen where somebody else does.
type Witness struct {
	estate   *Estate
	name     string
	patience time.Duration
	cancel   context.CancelFunc
	done     chan struct{}

	lies   []error
	behind time.Duration
	// looks and blind are how often it has looked, and could not; fault is why it could not the last time.
	looks, blind int
	fault        error
	// revisions are the objects of the stored revisions that were read, by UID and number.
	revisions map[string][]target
}

// target is an object that a revision has.
type target struct {
	identity, name string
	declared       *unstructured.Unstructured
	resource       dynamic.ResourceInterface
}

// Witness begins to watch; Stop ends it. What status claims may be untrue for as long as patience: Moment where nobody but
// the manager changes what is there.
func (e *Estate) Witness(ctx context.Context, name string, patience time.Duration) *Witness {
	ctx, cancel := context.WithCancel(ctx)
	w := &Witness{estate: e, name: name, patience: patience, cancel: cancel, done: make(chan struct{}), revisions: map[string][]target{}}
	go w.run(ctx)
	return w
}

// Stop ends it, and tells what status claimed that was not so. One that mostly could not look has seen nothing, which is an
// error too.
func (w *Witness) Stop() error {
	w.cancel()
	<-w.done
	if w.blind > w.looks/2 {
		return errors.Join(append(w.lies, fmt.Errorf("holding the status of BundleDeployment %q against the cluster: %d of %d times it could not be looked at: %w", w.name, w.blind, w.looks, w.fault))...)
	}
	return errors.Join(w.lies...)
}

// Behind is the longest that a claim was seen untrue, be it within the patience or not. It is to be asked after Stop.
func (w *Witness) Behind() time.Duration { return w.behind }

func (w *Witness) run(ctx context.Context) {
	defer close(w.done)
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	since, told := map[string]time.Time{}, map[string]bool{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		untrue, err := w.see(ctx)
		if ctx.Err() != nil {
			return
		}
		w.looks++
		if err != nil { // what could not be looked at proves nothing, and ends nothing
			w.blind, w.fault = w.blind+1, err
			continue
		}
		now := time.Now()
		stands := map[string]time.Time{}
		for _, each := range untrue {
			stands[each] = now
			if before, ok := since[each]; ok {
				stands[each] = before
			}
			lasted := now.Sub(stands[each])
			w.behind = max(w.behind, lasted)
			if lasted > w.patience && !told[each] && len(w.lies) < maxLies {
				told[each] = true
				w.lies = append(w.lies, fmt.Errorf("BundleDeployment %q %s (for more than %s)", w.name, each, w.patience))
			}
		}
		since = stands
	}
}

// see gives what status claims and is not so.
func (w *Witness) see(ctx context.Context) (untrue []string, err error) {
	live, err := w.estate.platform.CoreV1alpha2().BundleDeployments().Get(ctx, w.name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if live.DeletionTimestamp != nil {
		return nil, nil // what is taken down is told by Progressing alone
	}
	sight := &sight{Witness: w, live: live, found: map[string]*unstructured.Unstructured{}}
	for _, claim := range claims {
		more, err := claim(ctx, sight)
		if err != nil {
			return nil, err
		}
		untrue = append(untrue, more...)
	}
	return untrue, nil
}

// sight is one look: the BundleDeployment, and each object as it was when it was looked at first.
type sight struct {
	*Witness
	live  *corev1alpha2.BundleDeployment
	found map[string]*unstructured.Unstructured
}

// get gives an object as it is; nil when it is not there.
func (s *sight) get(ctx context.Context, of target) (*unstructured.Unstructured, error) {
	if known, ok := s.found[of.identity]; ok {
		return known, nil
	}
	found, err := of.resource.Get(ctx, of.name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		found, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	s.found[of.identity] = found
	return found, nil
}

// says tells whether status has a condition, of the present spec, with this status.
func (s *sight) says(condition string, status metav1.ConditionStatus) bool {
	found := meta.FindStatusCondition(s.live.Status.Conditions, condition)
	return found != nil && found.Status == status && found.ObservedGeneration == s.live.Generation
}

// revision gives the objects of a stored revision, which never change.
func (s *sight) revision(ctx context.Context, number int64) ([]target, error) {
	key := fmt.Sprint(s.live.UID, number)
	if known, ok := s.revisions[key]; ok {
		return known, nil
	}
	owner := store.Owner{Name: s.live.Name, UID: s.live.UID}
	headers, err := s.estate.revisions.List(ctx, owner)
	if err != nil {
		return nil, err
	}
	for _, header := range headers {
		if header.Number != number {
			continue
		}
		revision, err := s.estate.revisions.Load(ctx, owner, header)
		if err != nil {
			return nil, err
		}
		targets, err := s.estate.targets(revision)
		if err != nil {
			return nil, err
		}
		s.revisions[key] = targets
		return targets, nil
	}
	return nil, fmt.Errorf("revision %d of BundleDeployment %q is not stored", number, s.live.Name)
}

// targets says where a revision's objects are.
func (e *Estate) targets(revision *store.Revision) ([]target, error) {
	groups, err := restmapper.GetAPIGroupResources(e.discovery)
	if err != nil {
		return nil, err
	}
	mapper := restmapper.NewDiscoveryRESTMapper(groups)
	var targets []target
	for i := range revision.Objects {
		object := &revision.Objects[i]
		kind := object.GroupVersionKind()
		mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
		if err != nil {
			return nil, err
		}
		targets = append(targets, target{
			identity: identityOf(object), name: object.GetName(), declared: object,
			resource: e.dynamic.Resource(mapping.Resource).Namespace(object.GetNamespace()),
		})
	}
	return targets, nil
}
