package bundledeployment

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/plan"
	"github.com/openshift/platform-operators/pkg/store"
)

// maxArchived is how many revisions that run no more are kept: to go back to without a registry, and to see what was.
const maxArchived = 3

// record is what is remembered of one BundleDeployment between syncs. All of it can be read again from the cluster.
type record struct {
	uid types.UID
	// loaded says that revisions are all there are, oldest first.
	loaded    bool
	revisions []*revision
	// written is the resourceVersion of our own last write to the BundleDeployment.
	written string
	// faults and refusals count syncs in a row that could not apply everything.
	faults, refusals int
	// unkept counts tries in a row to store a revision.
	unkept int
}

// revision is a stored revision. Its set is there while it is needed: for the active one, the one rolling out, and those
// whose objects may still have to be pruned.
type revision struct {
	store.Header
	set    *apply.Set
	pruned bool
}

func (c *controller) recordOf(deployment *corev1alpha2.BundleDeployment) *record {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.records[deployment.Name]
	if found == nil || found.uid != deployment.UID {
		if found != nil {
			c.engine.Release(deployment.Name)
		}
		found = &record{uid: deployment.UID}
		c.records[deployment.Name] = found
	}
	return found
}

// writtenLater says whether our own last write is newer than a cached state: deciding upon that would undo it.
func (r *record) writtenLater(cached *corev1alpha2.BundleDeployment) bool {
	order, err := resourceversion.CompareResourceVersion(cached.ResourceVersion, r.written)
	return r.written != "" && err == nil && order < 0
}

func ownerOf(deployment *corev1alpha2.BundleDeployment) store.Owner {
	return store.Owner{Name: deployment.Name, UID: deployment.UID}
}

// load reads the headers of the stored revisions, once after a start.
func (s *state) load(ctx context.Context) error {
	if s.record.loaded {
		return nil
	}
	headers, err := s.revisions.List(ctx, ownerOf(s.deployment))
	if err != nil {
		return err
	}
	s.record.revisions = nil
	for _, header := range headers {
		s.record.revisions = append(s.record.revisions, &revision{Header: header})
	}
	s.record.loaded = true
	return nil
}

// ready sees to it that a revision's set is there. A revision that turns out to be lost is dropped, and false returned.
func (s *state) ready(ctx context.Context, wanted *revision) (bool, error) {
	if wanted.set != nil {
		return true, nil
	}
	stored, err := s.revisions.Load(ctx, ownerOf(s.deployment), wanted.Header)
	if store.IsUnusable(err) {
		s.recorder.Warningf("RevisionLost", "Revision %d of BundleDeployment %q cannot be used any more: %v", wanted.Number, s.deployment.Name, err)
		return false, s.drop(ctx, wanted)
	}
	if err != nil {
		return false, err
	}
	wanted.set, err = s.newSet(stored)
	return err == nil, err
}

func (s *state) newSet(stored *store.Revision) (*apply.Set, error) {
	owner := apply.Owner{Name: s.deployment.Name, Package: stored.Bundle.Package}
	set, err := apply.NewSet(owner, s.deployment.Spec.InstallNamespace, plan.Phases(stored.Objects))
	if err != nil {
		return nil, fmt.Errorf("preparing revision %d: %w", stored.Number, err)
	}
	return set, nil
}

// drop forgets a revision, in the cluster and here.
func (s *state) drop(ctx context.Context, unwanted *revision) error {
	if err := s.revisions.Delete(ctx, ownerOf(s.deployment), unwanted.Header); err != nil {
		return err
	}
	s.record.revisions = slices.DeleteFunc(s.record.revisions, func(each *revision) bool { return each == unwanted })
	return nil
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
