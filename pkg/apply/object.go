package apply

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/drift"
	"github.com/openshift/platform-operators/pkg/ownership"
)

// worker brings the objects of one kind to where they should be.
type worker struct {
	*Engine
	place
	owner   Owner
	memory  *memory
	options Options
	rules   *rules
	pass    *pass
}

// bring creates an object that is missing, changes one that is not as declared, and leaves alone what is as declared or is
// not the owner's.
func (w worker) bring(ctx context.Context, entry *item) outcome {
	result := outcome{item: entry}
	if entry.given && w.memory.isGiven(entry.key.Name) {
		result.live = &seen{}
		return result
	}
	if w.namespaced != (entry.key.Namespace != "") {
		result.err = &Refusal{Object: entry.key, Err: fmt.Errorf("its kind being namespaced is %v, and its namespace is %q", w.namespaced, entry.key.Namespace), Remedy: "the bundle has to be corrected"}
		return result
	}
	live, unconfirmed := w.cache.get(entry.key)
	if unconfirmed {
		result.again = recentTime // by then the watch has brought it, or nothing tells that it is gone again
	}
	before, remembered := w.memory.stateOf(entry.key)
	w.task(entry, before, remembered).bring(ctx, live, &result)
	if entry.given {
		w.memory.setUnusable(entry.key.Name, result.err != nil)
	}
	return result
}

// task is one object being worked on.
type task struct {
	worker
	entry *item
	// before is what was remembered of the object.
	before objectState
	trust  drift.Trust
}

func (w worker) task(entry *item, before objectState, remembered bool) task {
	next := task{worker: w, entry: entry, before: before}
	switch {
	case remembered && before.declared == entry.digest:
		next.trust = drift.WrittenNow
		return next
	case !remembered && w.options.Trusted:
		next.trust = drift.WrittenBefore
	}
	next.before.odd = nil // it was odd about what was declared before
	return next
}

// known says that the object was once as it is declared now, so that whatever is different was changed by others.
func (t task) known() bool { return t.trust != drift.NothingKnown }

func (t task) compare() drift.Comparison {
	return drift.Comparison{Manager: t.owner.Manager(), Trust: t.trust, Ignored: t.rules.ignored(t.entry.key)}
}

func (t task) bring(ctx context.Context, live *seen, result *outcome) {
	switch {
	case live == nil:
		t.missing(ctx, result)
	case t.before.holds(t.entry, live, t.rules):
		result.live, result.drift, result.drifted = live, t.before.standing, t.before.drifted
	default:
		t.present(ctx, live, result)
	}
}

// present looks at an object that is there, and in another state than the one it was last seen in.
func (t task) present(ctx context.Context, found *seen, result *outcome) {
	result.live = found
	live, err := found.object()
	if err != nil {
		result.err = err
		return
	}
	verdict := t.verdictOn(t.entry.key, live)
	switch {
	case verdict.Action != ownership.Ours && t.entry.given:
		t.useNamespace(live, result)
	case found.DeletionTimestamp != nil && t.leaves():
		t.leave(corev1alpha2.DriftDeleted, []drift.Change{{}}, nil, result)
	case found.DeletionTimestamp != nil:
		result.err = waitFor("%s is being deleted; it is created again when it is gone", t.entry.key)
	case verdict.Action == ownership.Leave:
		result.err = refusalOf(t.entry.key, live, verdict, t.owner)
	case verdict.Action == ownership.Ours:
		t.settle(ctx, live, verdict.Reason, result)
	case t.options.ReadOnly:
	case t.pass.over():
		result.postponed = true
	default:
		result.live, result.err = t.adopt(ctx, t.entry)
		result.updated = result.err == nil
	}
}

// remember notes what the API server has just answered to a write: the object is as declared as it can be.
func (w worker) remember(entry *item, answer *unstructured.Unstructured) (*seen, error) {
	live, err := w.cache.remember(answer)
	if err != nil {
		return nil, err
	}
	before, _ := w.memory.stateOf(entry.key)
	after := objectState{declared: entry.digest, rules: w.rules.digest, seen: live.digest, fight: before.fight}
	declared := entry.declared()
	compare := drift.Comparison{Manager: w.owner.Manager(), Trust: drift.WrittenNow, Ignored: w.rules.ignored(entry.key)}
	after.odd = oddities(compare.Differences(declared, answer))
	if w.rules.additions != corev1alpha2.AdditionsIgnore {
		if added := compare.Additions(declared, answer); len(added) > 0 && w.rules.additions == corev1alpha2.AdditionsRemove {
			after.seen = digest{} // they are taken away when the watch has brought this state
		} else {
			after.standing = recordsOf(drifted{entry.key, corev1alpha2.DriftAdded, corev1alpha2.DriftReported}, changesOf(added), before.standing, w.clock.Now())
		}
	}
	w.memory.setState(entry.key, after)
	return live, nil
}

// orphanMarked says whether a CustomResourceDefinition was taken up again and still has the mark, which has to go.
func orphanMarked(key Key, live *unstructured.Unstructured) bool {
	return isCRD(key.GroupKind) && live.GetAnnotations()[platformv1alpha1.AnnotationOrphanedFrom] != ""
}

// create posts an object. One that exists already, and was not in the cache, is read: it is somebody else's, or has lost
// its labels, or the cache is behind.
func (w worker) create(ctx context.Context, entry *item) (live *seen, created bool, err error) {
	client := w.client(entry.key)
	if entry.given {
		// A namespace mostly exists; asking first saves a write that would be refused.
		found, err := client.Get(ctx, entry.key.Name, metav1.GetOptions{})
		if err == nil {
			live, err = look(found)
			return live, false, err
		}
		if !apierrors.IsNotFound(err) {
			return nil, false, writeError("reading", entry.key, err)
		}
	}
	posted, err := client.Create(ctx, entry.declared(), metav1.CreateOptions{FieldManager: w.owner.Manager()})
	if err == nil {
		live, err = w.remember(entry, posted)
		return live, true, err
	}
	if !apierrors.IsAlreadyExists(err) {
		if apierrors.IsNotFound(err) {
			w.memory.setGiven(entry.key.Namespace, false)
		}
		return nil, false, writeError("creating", entry.key, err)
	}
	found, err := client.Get(ctx, entry.key.Name, metav1.GetOptions{})
	if err != nil {
		return nil, false, fmt.Errorf("reading %s, which is said to exist: %w", entry.key, err)
	}
	live, err = look(found)
	return live, false, err
}

func (w worker) client(key Key) dynamic.ResourceInterface {
	if w.namespaced {
		return w.Engine.client.Resource(w.GroupVersionResource).Namespace(key.Namespace)
	}
	return w.Engine.client.Resource(w.GroupVersionResource)
}

func (m *memory) isGiven(namespace string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.given[namespace]
}

func (m *memory) setGiven(namespace string, given bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if given {
		m.given[namespace] = true
	} else {
		delete(m.given, namespace)
	}
}
