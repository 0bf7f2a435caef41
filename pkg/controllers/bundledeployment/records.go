package bundledeployment

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/plan"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/store"
)

// maxArchived is how many revisions that run no more are kept: to go back to without a registry, and to see what was.
const maxArchived = 3

// memory is what is remembered of one BundleDeployment between syncs. All of it can be read again from the cluster, or is
// not missed.
type memory struct {
	uid types.UID
	// loaded says that revisions are all there are, oldest first.
	loaded    bool
	revisions []*revision
	// lost are revisions that status tells of and that are not stored any more: objects of theirs may be left.
	lost []corev1alpha2.Revision
	// swept: nothing is left that rukpak applied and no revision has.
	swept bool
	// tidied: nothing is stored that belongs to no revision.
	tidied bool
	// written is the resourceVersion of our own last write to the BundleDeployment, wroteAt when that was.
	written string
	wroteAt time.Time
	// faults and refusals count syncs in a row that could not apply everything.
	faults, refusals int
	// unkept is what could not be stored.
	unkept unkept
	// notices are the Events to send once a status is written: what is told of is not seen a second time.
	notices []notice
	// looks counts looks at a removal that is held; unremoved and unpruned are tries in a row to remove and to prune that failed.
	looks               int
	unremoved, unpruned trouble
	// stillHeld is when the API server last said that the finalizer is on the deleted BundleDeployment.
	stillHeld time.Time
	// removalSets are the sets that a removal takes down, and removalUnion is made of them: a removal takes many syncs.
	removalSets  []*apply.Set
	removalUnion *apply.Set
	// class is what was last seen of the class of this name.
	class     corev1alpha2.ProvisionerClassSpec
	className string
	// every and slot are the poll interval and the last of them that was polled in; rendered says that what is stored was
	// compared with how this manager renders; told is the last Event of looking again.
	every    time.Duration
	slot     int64
	rendered bool
	told     string
	// drift and warnings came from the engine and are not in status yet.
	drift    []corev1alpha2.DriftRecord
	warnings []string
	// unhealthy says that there was an Event of what is unhealthy.
	unhealthy bool
	// standing are the changes by others that stood when the status was written last.
	standing []corev1alpha2.DriftRecord
}

// trouble is tries in a row that failed in one way or another, such as by a webhook that does not answer.
type trouble struct {
	tries int
	since time.Time
}

// met counts one more.
func (t *trouble) met(now time.Time) {
	if t.tries++; t.tries == 1 {
		t.since = now
	}
}

// troubleLasts is how long tries may fail until that counts as something that does not end by itself.
const troubleLasts = 10 * time.Minute

func (t *trouble) lasts(now time.Time) bool { return t.tries > 0 && now.Sub(t.since) > troubleLasts }

// revision is a stored revision. Its set is there while it is needed: for the active one, the one rolling out, and those
// whose objects may still have to be pruned.
type revision struct {
	store.Header
	set    *apply.Set
	pruned bool
	// state, started, failedGeneration and failureMessage are copies of the fields in status.revisions.
	state            corev1alpha2.RevisionState
	started          *metav1.Time
	failedGeneration int64
	failureMessage   string
	// seen is when this process first worked on the revision; applied is true after all its objects were applied once.
	seen    time.Time
	applied bool
	// fresh says that nothing of it was there when it was begun, and nothing is known to have been written since; unwritten that it
	// was tried since, and nothing was.
	fresh, unwritten bool
	// reloaded: an earlier process has noted that nothing was written, and may have ended between a write and the next note.
	reloaded bool
}

const failedState = corev1alpha2.RevisionFailed

// failedFor says that the revision must not be tried again for a generation of the spec.
func (r *revision) failedFor(generation int64) bool {
	return r.state == failedState && r.failedGeneration == generation
}

func (c *controller) memoryOf(deployment *corev1alpha2.BundleDeployment) *memory {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.records[deployment.Name]
	if found == nil || found.uid != deployment.UID {
		if found != nil {
			c.engine.Release(deployment.Name)
			c.fetches.cancel(deployment.Name) // what was asked for another one of this name is no answer
			c.meters.forget(deployment.Name)
		}
		found = &memory{uid: deployment.UID}
		c.records[deployment.Name] = found
	}
	return found
}

// recentTime is how long our own last write is believed over the cache. A cache that is still behind after that is not: the
// API server may have been restored from a backup, whose versions begin again at an earlier one.
const recentTime = 30 * time.Second

// writtenLater says whether our own last write is newer than a cached state, so that deciding upon that would undo it, and
// for how long that counts.
func (m *memory) writtenLater(cached *corev1alpha2.BundleDeployment, now time.Time) (time.Duration, bool) {
	order, err := resourceversion.CompareResourceVersion(cached.ResourceVersion, m.written)
	left := m.wroteAt.Add(recentTime).Sub(now)
	return left, m.written != "" && err == nil && order < 0 && left > 0
}

// wrote notes a write.
func (m *memory) wrote(stored *corev1alpha2.BundleDeployment, now time.Time) {
	m.written, m.wroteAt = stored.ResourceVersion, now
}

func ownerOf(deployment *corev1alpha2.BundleDeployment) store.Owner {
	return store.Owner{Name: deployment.Name, UID: deployment.UID}
}

// load reads the headers of the stored revisions, once after a start, and what status says of each.
func (s *state) load(ctx context.Context) error {
	if s.record.loaded {
		return nil
	}
	headers, err := s.revisions.List(ctx, ownerOf(s.deployment))
	if err != nil {
		return err
	}
	s.record.revisions, s.record.lost = nil, nil
	for _, header := range headers {
		each := &revision{Header: header}
		if !s.laterThanStatus(header.Number) {
			each.state = corev1alpha2.RevisionArchived // status may have had no room for it, or have been lost: it may have been applied
		}
		s.record.revisions = append(s.record.revisions, each)
	}
	for _, told := range s.before.Status.Revisions {
		at := slices.IndexFunc(s.record.revisions, func(each *revision) bool { return each.Number == told.Number })
		if at < 0 {
			s.record.lost = append(s.record.lost, told)
			continue
		}
		found := s.record.revisions[at]
		found.state, found.started = told.State, told.StartedTime
		found.failedGeneration, found.failureMessage = told.FailedGeneration, told.FailureMessage
		absent := told.Presence == corev1alpha2.Absent && told.StartedTime != nil
		if found.pruned = absent && told.State != corev1alpha2.RevisionRollingOut; absent && !found.pruned {
			found.fresh, found.unwritten, found.reloaded = true, true, true
		}
	}
	s.record.loaded = true
	return nil
}

// laterThanStatus says that a revision was stored after status was written last. It was not begun: status would tell of that.
func (s *state) laterThanStatus(number int64) bool {
	status := s.before.Status
	return status.ObservedGeneration > 0 && number > status.ActiveRevision &&
		!slices.ContainsFunc(status.Revisions, func(told corev1alpha2.Revision) bool { return number <= told.Number })
}

// ready sees to it that a revision's set is there. A revision that turns out to be lost is dropped, and false returned.
func (s *state) ready(ctx context.Context, wanted *revision) (bool, error) {
	if wanted.set != nil {
		return true, nil
	}
	stored, err := s.revisions.Load(ctx, ownerOf(s.deployment), wanted.Header)
	if store.IsUnusable(err) {
		return false, s.lose(ctx, wanted, err)
	}
	if err != nil {
		return false, err
	}
	if wanted.Plan == "" { // stored by a manager that did not note it
		wanted.Plan = plan.Digest(stored.Objects)
	}
	wanted.set, err = s.newSet(stored)
	return err == nil, err
}

// lose drops a revision that cannot be read any more, and keeps in mind that objects of it may be left.
func (s *state) lose(ctx context.Context, unusable *revision, cause error) error {
	if err := s.drop(ctx, unusable); err != nil {
		return err
	}
	s.record.lost = append(s.record.lost, unusable.entry(corev1alpha2.RevisionArchived))
	s.notify(notice{corev1alpha2.EventRevisionLost, fmt.Sprintf("Revision %d cannot be used any more: %v", unusable.Number, cause), true})
	return nil
}

func (s *state) newSet(stored *store.Revision) (*apply.Set, error) {
	owner := apply.Owner{Name: s.deployment.Name, Package: s.packageOf(stored.Bundle.Package)}
	set, err := apply.NewSet(owner, s.deployment.Spec.InstallNamespace, plan.Phases(stored.Objects))
	if err != nil {
		return nil, fmt.Errorf("preparing revision %d: %w", stored.Number, err)
	}
	return set, nil
}

// packageOf is the package that objects are applied for: the one that the content names, else the one that a PlatformOperator has
// it installed for. Content of plain+v0 need not name any.
func (s *state) packageOf(named string) string {
	return cmp.Or(named, s.deployment.Labels[platformv1alpha1.LabelPackage])
}

// drop forgets a revision, in the cluster and here.
func (s *state) drop(ctx context.Context, unwanted *revision) error {
	if err := s.revisions.Delete(ctx, ownerOf(s.deployment), unwanted.Header); err != nil {
		return err
	}
	s.record.revisions = slices.DeleteFunc(s.record.revisions, func(each *revision) bool { return each == unwanted })
	return nil
}

// unkept is a rendering that could not be stored: it is too large, or a quota is used up, or a Secret of somebody else's has
// its name. That mostly lasts, and costs much to try.
type unkept struct {
	of    wish
	tries int
	again time.Time
	err   error
}

// firstPause is the first pause after a write failed: mostly the next one goes through. It doubles with every try.
const firstPause = 250 * time.Millisecond

func (s *state) pause(tries int) time.Duration {
	return source.Backoff{First: firstPause, Last: s.backoff.Last}.After(tries)
}

// keepNew stores what a wish led to. What cannot be stored is tried again with back-off; until then it gives no revision, and,
// once it has lasted, why. Only a conflict is returned as it is.
func (s *state) keepNew(ctx context.Context, of wish, next *store.Revision) (kept *revision, lasting, err error) {
	failed := &s.record.unkept
	if failed.of != of {
		*failed = unkept{of: of}
	}
	if !s.clock.Now().Before(failed.again) {
		kept, err = s.keep(ctx, next)
		if err == nil || apierrors.IsConflict(err) {
			return kept, nil, err
		}
		failed.tries, failed.err = failed.tries+1, err
		failed.again = s.clock.Now().Add(s.pause(failed.tries))
	}
	s.retry(failed.again.Sub(s.clock.Now()))
	if failed.tries < patience {
		return nil, nil, nil
	}
	return nil, failed.err, nil
}

// keep stores a revision under the next number.
func (s *state) keep(ctx context.Context, stored *store.Revision) (*revision, error) {
	stored.Number = s.nextNumber()
	if err := s.revisions.Save(ctx, ownerOf(s.deployment), stored); err != nil {
		return nil, err
	}
	kept := &revision{Header: stored.Header}
	s.record.revisions = append(s.record.revisions, kept)
	var err error
	kept.set, err = s.newSet(stored)
	return kept, err
}

// nextNumber counts on from everything that is known, so that no number ever means two things.
func (s *state) nextNumber() int64 {
	last := s.before.Status.ActiveRevision
	for _, each := range s.before.Status.Revisions {
		last = max(last, each.Number)
	}
	for _, each := range s.record.revisions {
		last = max(last, each.Number)
	}
	return last + 1
}

// tried notes what came of applying a revision. That nothing was written holds only of one of which nothing was there when it was
// begun, and as long as every answer says so.
func (r *revision) tried(report apply.Report) {
	nothing := !report.Written && !report.Complete && (!r.reloaded || !report.Seen)
	r.fresh = r.fresh && nothing
	r.unwritten = r.fresh
}

// presence says whether objects of a revision may be there. What is given up has been looked through only when it is pruned.
func (r *revision) presence() corev1alpha2.Presence {
	if r.left() && (!r.unwritten || r.state != corev1alpha2.RevisionRollingOut) {
		return corev1alpha2.Present
	}
	return corev1alpha2.Absent
}

// entry is what status says of a revision.
func (r *revision) entry(state corev1alpha2.RevisionState) corev1alpha2.Revision {
	return corev1alpha2.Revision{
		Number: r.Number, Digest: r.Digest, Version: r.Bundle.Version, State: state,
		StartedTime: r.started, FailedGeneration: r.failedGeneration, FailureMessage: r.failureMessage,
		Presence: r.presence(), Bundle: r.Bundle.Name, MaxOpenShiftVersions: r.Bundle.MaxOpenShiftVersions,
	}
}
