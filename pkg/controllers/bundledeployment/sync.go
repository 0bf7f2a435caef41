package bundledeployment

import (
	"context"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/finalizer"
	"github.com/openshift/platform-operators/pkg/revision"
)

// reconciliation is the state of one sync of one BundleDeployment: its inputs, the results of its stages, and the status to write at the
// end.
type reconciliation struct {
	c      *controller
	memory *memory

	// before is the object that the lister or the last write in this sync returned. The sync does not modify it. deployment is a copy of
	// before, in which the sync sets the status.
	before     *corev1alpha2.BundleDeployment
	deployment *corev1alpha2.BundleDeployment

	// policies are the policies of the spec. Fields that are empty in the spec have the values of the class. unknownClass says why the
	// class is unknown, so that nothing new is fetched; empty if the class is known.
	policies     revision.Policies
	unknownClass string
	// source holds the source of the desired content.
	source desiredSource
	// machine decides the actions of the rollout.
	machine *revision.Machine

	// phases is the number of phases of the target that this sync has applied.
	phases int
	// missing are the permissions that the manager lacks for the newest revision.
	missing []corev1alpha2.MissingPermission
	// uid is the UID of the ServiceAccount that applies the newest revision; empty for the manager, or if this sync has not read it.
	uid string
	// findings are the unsafe changes of CustomResourceDefinitions in the newest revision.
	findings []corev1alpha2.CRDFinding
	// unchecked are the findings about those of them whose stored custom resources the manager may not list.
	unchecked []corev1alpha2.CRDFinding
	// restoring are the numbers of the revisions that this sync stores again, or waits to store again.
	restoring sets.Set[int64]
	// preexisting is true if the manager did not create the install namespace; nil while this sync has not read the namespace.
	preexisting *bool

	// fault is a transient error that the sync returns after it has written the status; nil if there is none.
	fault error
	// verifyErr is the last error of verify, which the sync returns if there is no fault.
	verifyErr  error
	retryAfter time.Duration
	// gone is true if the object is deleted, so that no status can be written.
	gone bool
}

// stage is one part of a sync. run returns true if the later stages must not run. The status is written unless a stage returns an error.
type stage struct {
	name string
	run  func(context.Context, *reconciliation) (bool, error)
}

var stages = []stage{
	{"reading the revisions of", loadHistory},
	{"checking the stored revisions of", checkStored},
	{"reading the class of", readClass},
	{"removing", remove},
	{"checking the name of", checkName},
	{"adding the finalizer to", addFinalizer},
	{"reading the source of", readSource},
	{"rolling out", rollOut},
}

// addFinalizer adds the finalizer before anything is stored or applied, so that the controller can handle the deletion. It removes the
// finalizers of rukpak once the leftovers of rukpak have been removed. If the finalizers are already correct, it does not write anything.
func addFinalizer(ctx context.Context, s *reconciliation) (bool, error) {
	finalizers := slices.Clone(s.before.Finalizers)
	if s.memory.history.LeftoversRemoved {
		finalizers = slices.DeleteFunc(finalizers, revision.IsInheritedFinalizer)
	}
	if s.unknownClass == "" && !slices.Contains(finalizers, corev1alpha2.Finalizer) {
		finalizers = append(finalizers, corev1alpha2.Finalizer)
	}
	if slices.Equal(finalizers, s.before.Finalizers) {
		return false, nil
	}
	stored, err := s.setFinalizers(ctx, finalizers)
	if err != nil {
		return true, err
	}
	s.written(stored)
	return false, nil
}

// endMigration removes the finalizers of rukpak in the only round of a process, if this round has removed the leftovers. Otherwise
// addFinalizer does so in the next sync.
func (s *reconciliation) endMigration(ctx context.Context) error {
	if !s.c.isOneRound || s.gone || !s.memory.history.LeftoversRemoved || !revision.IsInherited(s.before) {
		return nil
	}
	_, err := s.setFinalizers(ctx, slices.DeleteFunc(slices.Clone(s.before.Finalizers), revision.IsInheritedFinalizer))
	return err
}

// setFinalizers replaces the finalizers of the BundleDeployment, and returns the BundleDeployment as stored by the API server.
func (s *reconciliation) setFinalizers(ctx context.Context, finalizers []string) (*corev1alpha2.BundleDeployment, error) {
	patch, err := finalizer.MergePatch(s.before, finalizers)
	if err != nil {
		return nil, err
	}
	return s.c.client.Patch(ctx, s.before.Name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: fieldManager})
}

// written replaces before and deployment with a BundleDeployment that this sync has written. Unwritten changes to the status are lost.
func (s *reconciliation) written(stored *corev1alpha2.BundleDeployment) {
	s.before, s.deployment = stored, stored.DeepCopy()
	s.memory.wrote(stored, s.c.clock.Now())
}

// retry requests another sync after a certain time. If there are several requests, the earliest applies. Zero requests nothing.
func (s *reconciliation) retry(after time.Duration) {
	if after > 0 && (s.retryAfter == 0 || after < s.retryAfter) {
		s.retryAfter = after
	}
}
