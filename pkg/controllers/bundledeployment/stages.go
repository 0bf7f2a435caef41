package bundledeployment

import (
	"context"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
)

// state is one sync of one BundleDeployment: what was read, what was decided and done, and the status to write at the end.
type state struct {
	*controller
	record *memory

	// before is the lister's object and is never changed; deployment is the copy whose status is filled in.
	before     *corev1alpha2.BundleDeployment
	deployment *corev1alpha2.BundleDeployment

	// policies are the spec's with the class's where it is silent; unknownClass says why nothing new is read here.
	policies     policies
	unknownClass string

	// active is the revision that was complete and healthy last; nil before there is one.
	active *revision
	// wanted is the revision of the spec's source; nil while it is not stored. When failed is set it is the active one.
	wanted *revision
	// failed is the revision of the spec's source that missed its deadline and is not tried again for this spec.
	failed *revision
	// sought is what wanted is looked for by, and answer what is known of it while there is none.
	sought sought
	answer answer
	// recalling says that what is sought is stored, under an older number, and could not be stored under a new one yet.
	recalling bool
	// overdue says that wanted missed its deadline and is held.
	overdue bool

	// report and refusal are of the newest revision that is worked on.
	report  apply.Report
	refusal *apply.Refusal
	// unbegun is why wanted was not begun although nothing is paused.
	unbegun error
	// live is how the objects of the active revision are while a later one is refused, or not begun; nil at any other time.
	live *apply.Report
	// missing is what the manager may not do and would have to, for the newest revision.
	missing []corev1alpha2.MissingPermission
	// preexisting says that the manager did not create the install namespace; nil while nothing in this sync has looked at that.
	preexisting *bool
	// standing is what the engine said of changes by others in this sync, and drifted that something declared is left changed.
	standing []corev1alpha2.DriftRecord
	drifted  bool
	// pruning says what an earlier revision's objects wait for while they are deleted; pruningBlocked that they wait for somebody.
	pruning        string
	pruningBlocked bool

	// fault is an error of the moment, returned after status is written.
	fault      error
	retryAfter time.Duration
	// gone: there is no object left to write status to.
	gone bool
}

// stage is one step of a sync. It returns true when the steps after it must not run; status is written in every case.
type stage struct {
	name string
	run  func(context.Context, *state) (bool, error)
}

var stages = []stage{
	{"reading the revisions of", recall},
	{"reading the class of", classify},
	{"removing", remove},
	{"checking the name of", checkName},
	{"adding the finalizer to", addFinalizer},
	{"unpacking", unpack},
	{"looking again at the source of", reread},
	{"beginning the roll-out of", begin},
	{"rolling out", rollOut},
	{"pruning", prune},
	{"looking for what is left of", sweep},
	{"tidying what is stored of", tidy},
	{"reporting", report},
}

// recall finds the stored revisions, and among them the active one.
func recall(ctx context.Context, s *state) (bool, error) {
	if err := s.load(ctx); err != nil {
		return true, err
	}
	for _, each := range s.record.revisions {
		if each.Number == s.before.Status.ActiveRevision {
			usable, err := s.ready(ctx, each)
			if err != nil {
				return true, err
			}
			if usable {
				s.active = each
			}
			break
		}
	}
	return false, nil
}

// addFinalizer makes sure, before anything is stored or applied, that the removal will be seen. Those of rukpak go when there
// is nothing left that only they tell of.
func addFinalizer(ctx context.Context, s *state) (bool, error) {
	updated := s.before.DeepCopy()
	if s.record.swept {
		updated.Finalizers = slices.DeleteFunc(updated.Finalizers, func(name string) bool { return slices.Contains(inheritedFinalizers, name) })
	}
	if s.unknownClass == "" && !slices.Contains(updated.Finalizers, corev1alpha2.Finalizer) {
		updated.Finalizers = append(updated.Finalizers, corev1alpha2.Finalizer)
	}
	if slices.Equal(updated.Finalizers, s.before.Finalizers) {
		return false, nil
	}
	stored, err := s.client.Update(ctx, updated, metav1.UpdateOptions{FieldManager: fieldManager})
	if err != nil {
		return true, err
	}
	s.before, s.deployment = stored, stored.DeepCopy()
	s.record.wrote(stored, s.clock.Now())
	return false, nil
}

// rollingOut says that a revision is on its way to become the active one.
func (s *state) rollingOut() bool { return s.wanted != nil && s.wanted != s.active }

// newest is the revision of the spec's source, whatever became of it.
func (s *state) newest() *revision {
	if s.failed != nil {
		return s.failed
	}
	return s.wanted
}

// retry asks for another sync after a time; of several the first counts.
func (s *state) retry(after time.Duration) {
	if after > 0 && (s.retryAfter == 0 || after < s.retryAfter) {
		s.retryAfter = after
	}
}
