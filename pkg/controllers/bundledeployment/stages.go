package bundledeployment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/library-go/pkg/operator/events"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/store"
)

// state is one sync of one BundleDeployment: what was read, what was decided and done, and the status to write at the end.
type state struct {
	*controller
	recorder events.Recorder
	record   *record

	// before is the lister's object and is never changed; deployment is the copy whose status is filled in.
	before     *corev1alpha2.BundleDeployment
	deployment *corev1alpha2.BundleDeployment

	// active is the revision that was complete and healthy last; nil before there is one.
	active *revision
	// wanted is the revision of the spec's source; nil while it is not stored.
	wanted *revision
	// answer is what is known of the source while wanted is nil.
	answer answer
	// unknownClass stops everything new: nobody reads such bundles here.
	unknownClass bool

	// report and refusal are of the newest revision that is worked on.
	report  apply.Report
	refusal *apply.Refusal
	// pruning says what an earlier revision's objects wait for while they are deleted.
	pruning string

	// fault is an error of the moment, returned after status is written.
	fault      error
	retryAfter time.Duration
	// notices are the Events to send once the status is written.
	notices []notice
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
	{"removing", remove},
	{"checking the class of", classify},
	{"adding the finalizer to", addFinalizer},
	{"unpacking", unpack},
	{"rolling out", rollOut},
	{"pruning", prune},
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

// classify looks whether anybody reads bundles of this class. What is active already is kept in any case.
func classify(_ context.Context, s *state) (bool, error) {
	s.unknownClass = s.deployment.Spec.ProvisionerClassName != corev1alpha2.ProvisionerClassRegistry
	return false, nil
}

// addFinalizer makes sure, before anything is stored or applied, that the removal will be seen.
func addFinalizer(ctx context.Context, s *state) (bool, error) {
	if s.unknownClass || slices.Contains(s.before.Finalizers, corev1alpha2.Finalizer) {
		return false, nil
	}
	updated := s.before.DeepCopy()
	updated.Finalizers = append(updated.Finalizers, corev1alpha2.Finalizer)
	stored, err := s.client.Update(ctx, updated, metav1.UpdateOptions{FieldManager: fieldManager})
	if err != nil {
		return true, err
	}
	s.before, s.deployment = stored, stored.DeepCopy()
	s.record.written = stored.ResourceVersion
	return false, nil
}

// unpack finds the revision of the spec's source, or has it made. A revision that is stored needs nothing of its source
// any more, and a spec that goes back to an earlier source gets what that source was.
func unpack(ctx context.Context, s *state) (bool, error) {
	if s.unknownClass || s.deployment.Spec.Source.Image == nil {
		return false, nil
	}
	ref := s.deployment.Spec.Source.Image.Ref
	if s.active != nil && s.active.Source == ref {
		s.wanted = s.active
	} else if err := s.recallSource(ctx, ref); err != nil {
		return true, err
	}
	if s.wanted != nil {
		s.fetches.cancel(s.deployment.Name)
		return false, nil
	}
	if s.deployment.Spec.Paused {
		return false, nil
	}
	s.answer = s.fetches.ask(s.deployment.Name, wish{ref: ref, namespace: s.deployment.Spec.InstallNamespace})
	s.retry(s.answer.retry)
	if s.answer.result == nil || s.answer.result.invalid != nil {
		return false, nil
	}
	kept, err := s.keep(ctx, &store.Revision{
		Header: store.Header{
			Source:   ref,
			Resolved: s.answer.result.resolved,
			Bundle:   metadataOf(s.answer.result.metadata),
		},
		Objects: s.answer.result.objects,
	})
	if err != nil {
		return s.notKept(err)
	}
	s.wanted, s.answer, s.record.unkept = kept, answer{}, 0
	s.fetches.cancel(s.deployment.Name)
	return false, nil
}

// notKept returns an error of storing a revision, and tells of it once it has lasted: what is too large to be stored, or a
// Secret of somebody else's in the way, does not go away by itself.
func (s *state) notKept(err error) (bool, error) {
	if s.record.unkept++; s.record.unkept < patience || apierrors.IsConflict(err) {
		return true, err
	}
	s.fault, s.answer = err, answer{err: err}
	return false, nil
}

// recallSource looks for a stored revision of the source. The newest revision is taken up where it is; an older one is
// stored again under a new number, so that the newest is always the one that is wanted.
func (s *state) recallSource(ctx context.Context, ref string) error {
	for i, each := range slices.Backward(s.record.revisions) {
		if each.Source != ref {
			continue
		}
		if i == len(s.record.revisions)-1 {
			usable, err := s.ready(ctx, each)
			if usable {
				s.wanted = each
			}
			return err
		}
		if s.deployment.Spec.Paused {
			return nil
		}
		stored, err := s.revisions.Load(ctx, ownerOf(s.deployment), each.Header)
		if store.IsUnusable(err) {
			return s.drop(ctx, each)
		}
		if err != nil {
			return err
		}
		s.wanted, err = s.keep(ctx, stored)
		return err
	}
	return nil
}

// rollOut applies the revision that is wanted, and keeps what the active one has beside it. While there is nothing new to
// apply the active one is kept as it is.
func rollOut(ctx context.Context, s *state) (bool, error) {
	target := s.wanted
	if target == nil {
		target = s.active
	}
	if target == nil {
		return false, nil
	}
	readOnly := s.deployment.Spec.Paused
	var err error
	s.report, err = s.engine.Apply(ctx, target.set, apply.Options{Gated: target != s.active, Trusted: target == s.active && s.wasSettled(), ReadOnly: readOnly})
	s.retry(s.report.RetryAfter)
	// Once the newest revision is complete, what only the active one has is about to go: nothing of it may hold that up.
	if s.active != nil && target != s.active && (err != nil || !s.complete()) {
		rest := s.active.set.Without(target.set, s.report.Phases)
		_, restErr := s.engine.Apply(ctx, rest, apply.Options{ReadOnly: readOnly})
		// What the active revision is refused is not the newest one's fault, and goes away or is told when that takes over.
		if refusal := (*apply.Refusal)(nil); err == nil && !errors.As(restErr, &refusal) {
			err = restErr
		}
	}
	if s.report.Writes > 0 && target == s.active && s.wasSettled() {
		s.notices = append(s.notices, driftNotice(s.deployment.Name, s.report))
	}
	if err := s.judge(err); err != nil {
		return true, err
	}
	if target != s.active && s.complete() && !readOnly {
		s.notices = append(s.notices, activeNotice(s.deployment.Name, target, s.active))
		s.active = target
	}
	return false, nil
}

// wasSettled says that nothing was under way before this sync, so that what it had to write was drift.
func (s *state) wasSettled() bool {
	progressing := meta.FindStatusCondition(s.before.Status.Conditions, corev1alpha2.ConditionProgressing)
	return progressing != nil && progressing.Reason == corev1alpha2.ReasonAsExpected && s.before.Status.ObservedGeneration == s.before.Generation
}

// complete says that everything of the newest revision is applied and healthy.
func (s *state) complete() bool {
	return s.report.Complete && len(s.report.Unready) == 0 && s.refusal == nil && s.fault == nil
}

// patience is how many syncs in a row may meet a fault of the moment before status tells of it: a conflict or a server
// that restarts is over by then, and a status that follows each of them would only flap.
const patience = 3

// judge sorts an error of applying: a refusal is told and tried again with back-off; a fault of the moment is returned at
// once, so that the queue tries again, until it has lasted.
func (s *state) judge(err error) error {
	if err == nil {
		s.record.faults, s.record.refusals = 0, 0
		return nil
	}
	if errors.As(err, &s.refusal) {
		s.record.faults = 0
		s.record.refusals++
		s.retry(s.backoff.after(s.record.refusals))
		return nil
	}
	if s.record.faults++; s.record.faults < patience {
		return err
	}
	s.fault = fmt.Errorf("rolling out BundleDeployment %q: %w", s.deployment.Name, err)
	return nil
}

// prune takes away what only revisions had that are neither active nor wanted: of the one before, once the newer one is
// active and status says so, and of one that never got that far, at once.
func prune(ctx context.Context, s *state) (bool, error) {
	if s.deployment.Spec.Paused || s.fault != nil || s.wanted == nil || s.active != nil && s.active.Number != s.before.Status.ActiveRevision {
		return false, nil
	}
	var keep []*apply.Set
	for _, each := range []*revision{s.active, s.wanted} {
		if each != nil {
			keep = append(keep, each.set)
		}
	}
	archived := s.archived()
	for _, each := range archived {
		if each.pruned {
			continue
		}
		if err := s.pruneOne(ctx, each, keep); err != nil {
			return true, err
		}
	}
	if s.pruning == "" {
		for len(archived) > maxArchived {
			if err := s.drop(ctx, archived[0]); err != nil {
				return true, err
			}
			archived = archived[1:]
		}
		s.engine.KeepWatches(apply.Owner{Name: s.deployment.Name}, keep...)
	}
	return false, nil
}

func (s *state) pruneOne(ctx context.Context, old *revision, keep []*apply.Set) error {
	usable, err := s.ready(ctx, old)
	if err != nil || !usable {
		return err
	}
	removal, err := s.engine.Remove(ctx, old.set, apply.RemoveOptions{}, keep...)
	if refusal := (*apply.Refusal)(nil); errors.As(err, &refusal) {
		s.pruning = refusal.Error()
		s.retry(s.backoff.last)
		return nil
	}
	if apierrors.IsConflict(err) {
		return err
	}
	if err != nil { // it is told like a refusal: it must not keep the rest of the status from being written
		s.pruning = err.Error()
		s.retry(lookAgain)
		return nil
	}
	if len(removal.Deleted) > 0 {
		s.notices = append(s.notices, pruneNotice(s.deployment.Name, old, removal))
	}
	if !removal.Done {
		s.pruning = removal.Waiting
		s.retry(lookAgain)
		return nil
	}
	old.pruned, old.set = true, nil
	return nil
}

// lookAgain is when deletions that are under way are looked at again; a watch mostly tells earlier.
const lookAgain = 2 * time.Second

// archived are the revisions that are neither active nor wanted, oldest first.
func (s *state) archived() []*revision {
	var archived []*revision
	for _, each := range s.record.revisions {
		if each != s.active && each != s.wanted {
			archived = append(archived, each)
		}
	}
	return archived
}

// retry asks for another sync after a time; of several the first counts.
func (s *state) retry(after time.Duration) {
	if after > 0 && (s.retryAfter == 0 || after < s.retryAfter) {
		s.retryAfter = after
	}
}

func metadataOf(metadata bundle.Metadata) corev1alpha2.BundleMetadata {
	recorded := corev1alpha2.BundleMetadata{
		Name:           cut(metadata.Name, 253),
		Package:        cut(metadata.Package, 253),
		Version:        cut(metadata.Version, maxMetadata),
		MinKubeVersion: cut(metadata.MinKubeVersion, maxMetadata),
	}
	for _, value := range metadata.MaxOpenShiftVersions[:min(len(metadata.MaxOpenShiftVersions), maxDeclared)] {
		recorded.MaxOpenShiftVersions = append(recorded.MaxOpenShiftVersions, cut(value, maxMetadata))
	}
	return recorded
}

const (
	// maxMetadata and maxDeclared are the schema's limits for what status tells of a bundle. A status beyond them would be
	// refused as a whole, with everything else that it says. What is cut here was no legal value before either.
	maxMetadata = 128
	maxDeclared = 4
)

func cut(text string, limit int) string {
	return strings.ToValidUTF8(text[:min(len(text), limit)], "")
}
