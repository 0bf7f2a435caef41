package bundledeployment

import (
	"context"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/lastwrite"
	"github.com/openshift/platform-operators/pkg/revision"
)

// reconciliation is one sync of one BundleDeployment: what was read, what was done, and the status to write at the end.
type reconciliation struct {
	c      *controller
	memory *memory

	// before is the lister's object, or what was written since, and is never changed; deployment is the copy whose status is filled in.
	before     *corev1alpha2.BundleDeployment
	deployment *corev1alpha2.BundleDeployment

	// policies are the spec's with the class's where it is silent; unknownClass is why nothing new is fetched.
	policies     revision.Policies
	unknownClass string
	// source is where the desired content comes from.
	source desiredSource
	// machine decides what is done.
	machine *revision.Machine

	// phases is the number of phases of the target that the engine worked on in this sync.
	phases int
	// missing are the permissions that the manager lacks for the newest revision.
	missing []corev1alpha2.MissingPermission
	// preexisting is true if the manager did not create the install namespace; nil while nothing in this sync has looked at it.
	preexisting *bool

	// fault is a transient error, returned after the status was written.
	fault      error
	retryAfter time.Duration
	// gone is true if there is no object left to write the status to.
	gone bool
}

// stage is one part of a sync. It returns true if the parts after it must not run; the status is written in every case.
type stage struct {
	name string
	run  func(context.Context, *reconciliation) (bool, error)
}

var stages = []stage{
	{"reading the revisions of", loadHistory},
	{"reading the class of", readClass},
	{"removing", remove},
	{"checking the name of", checkName},
	{"adding the finalizer to", addFinalizer},
	{"reading the source of", readSource},
	{"rolling out", rollOut},
}

// addFinalizer makes sure, before anything is stored or applied, that the deletion will be seen. The finalizers of rukpak are removed
// when nothing is left that only they record.
func addFinalizer(ctx context.Context, s *reconciliation) (bool, error) {
	updated := s.before.DeepCopy()
	if s.memory.history.LeftoversRemoved {
		updated.Finalizers = slices.DeleteFunc(updated.Finalizers, revision.IsInheritedFinalizer)
	}
	if s.unknownClass == "" && !slices.Contains(updated.Finalizers, corev1alpha2.Finalizer) {
		updated.Finalizers = append(updated.Finalizers, corev1alpha2.Finalizer)
	}
	if slices.Equal(updated.Finalizers, s.before.Finalizers) {
		return false, nil
	}
	stored, err := s.c.client.Update(ctx, updated, metav1.UpdateOptions{FieldManager: fieldManager})
	if err != nil {
		return true, err
	}
	s.written(stored)
	return false, nil
}

// written takes over a BundleDeployment as it was written.
func (s *reconciliation) written(stored *corev1alpha2.BundleDeployment) {
	s.before, s.deployment = stored, stored.DeepCopy()
	s.memory.lastWrite = lastwrite.Of(stored, s.c.clock.Now())
}

// retry asks for another sync after a time; of several requests the first counts.
func (s *reconciliation) retry(after time.Duration) {
	if after > 0 && (s.retryAfter == 0 || after < s.retryAfter) {
		s.retryAfter = after
	}
}
