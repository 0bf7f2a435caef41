package bundledeployment

import (
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/revision"
)

// executor executes one kind of action.
type executor struct {
	// name begins the executor's error messages, such as "pruning". The word BundleDeployment and its name follow.
	name string
	run  func(*reconciliation, context.Context, revision.Action) error
}

// executors maps every kind of action except Done to its executor.
var executors = map[revision.ActionKind]executor{
	revision.Load: {"loading a revision of", func(s *reconciliation, ctx context.Context, a revision.Action) error {
		return s.loadVerified(ctx, a.Revision)
	}},
	revision.CheckFailure:      {"checking what failed of", (*reconciliation).checkFailure},
	revision.Store:             {"storing again a revision of", (*reconciliation).storeAgain},
	revision.Fetch:             {"fetching the source of", (*reconciliation).fetch},
	revision.Poll:              {"polling the source of", (*reconciliation).poll},
	revision.Restore:           {"storing again a revision of", (*reconciliation).restore},
	revision.CheckRequirements: {"checking the requirements of", (*reconciliation).checkRequirements},
	revision.RecordStart:       {"recording the start of", (*reconciliation).recordStart},
	revision.Apply:             {"applying", (*reconciliation).apply},
	revision.ApplyRemaining:    {"applying the active revision of", (*reconciliation).applyRemaining},
	revision.Abort:             {"applying the objects of", func(s *reconciliation, _ context.Context, _ revision.Action) error { return s.machine.Problem().Err }},
	revision.Observe:           {"observing", (*reconciliation).observe},
	revision.Prune:             {"pruning", (*reconciliation).prune},
	revision.Delete:            {"deleting a revision of", (*reconciliation).deleteRevision},
	revision.KeepWatches:       {"watching", (*reconciliation).keepWatches},
	revision.RemoveLeftovers:   {"removing leftovers of", (*reconciliation).removeLeftovers},
	revision.CollectGarbage:    {"collecting garbage of", (*reconciliation).collectGarbage},
}

// rollOut executes the actions that the machine decides on, until it decides Done, and sets the status. It returns the first error of an
// action; in that case the status is not written.
func rollOut(ctx context.Context, s *reconciliation) (bool, error) {
	s.machine = revision.NewMachine(revision.Input{
		Deployment: s.before, History: &s.memory.history, Desired: s.source.desired, UnknownClass: s.unknownClass,
		ApprovalRequired: corev1alpha2.RequiresApproval(s.before.Spec, s.memory.class),
		DriftPolicy:      s.policies.Drift.Policy, Inherited: revision.IsInherited(s.before), RefusalBackoff: s.c.refusalBackoff, IsOneRound: s.c.isOneRound,
	})
	s.restoring = sets.New[int64]()
	for action := s.machine.Next(s.c.clock.Now()); action.Kind != revision.Done; action = s.machine.Next(s.c.clock.Now()) {
		executor := executors[action.Kind]
		if err := executor.run(s, ctx, action); err != nil {
			return true, fmt.Errorf("%s BundleDeployment %q: %w", executor.name, s.deployment.Name, err)
		}
	}
	s.cancelRestores()
	s.retry(s.machine.After())
	s.fault = s.machine.Fault()
	s.checkWatched(ctx)
	s.report()
	return false, nil
}

// recordStart writes the start time of a revision to the status before any of its objects is written, so that a restart does not extend the
// revision's deadline.
func (s *reconciliation) recordStart(ctx context.Context, action revision.Action) error {
	s.memory.warnings.Clear()
	status := &s.deployment.Status
	status.Warnings, status.Plan = s.withNamespaceWarning(slices.Clone(action.Revision.Warnings)), s.planOf(action.Revision)
	s.machine.ReportStart(status)
	stored, err := s.c.client.UpdateStatus(ctx, s.deployment, metav1.UpdateOptions{FieldManager: fieldManager})
	if err != nil {
		s.machine.StartFailed()
		return err
	}
	s.written(stored)
	s.machine.StartRecorded(stored)
	for _, each := range s.machine.StartEvents() {
		s.memory.addEvent(each)
	}
	for _, each := range action.Revision.Warnings {
		s.memory.addEvent(revision.Event{Reason: corev1alpha2.EventBundleWarning, Message: each, Warning: true})
	}
	return nil
}

func (s *reconciliation) deleteRevision(ctx context.Context, action revision.Action) error {
	if err := s.revisions().Delete(ctx, action.Revision); err != nil {
		return err
	}
	s.c.fetches.Cancel(restoreJob(s.deployment.Name, action.Revision.Number))
	s.machine.Deleted(action.Revision)
	return nil
}

// collectGarbage deletes the incomplete parts of revisions that a previous manager process was storing or deleting when it ended. If that
// fails, it logs the error and tries again later.
func (s *reconciliation) collectGarbage(ctx context.Context, _ revision.Action) error {
	if err := s.revisions().DeleteUnlisted(ctx); err != nil {
		klog.Warningf("%v; the manager retries", err)
		s.retry(s.c.backoff.Last)
		return nil
	}
	s.memory.history.GarbageCollected = true
	return nil
}

// refusalBackoff returns the time until the next attempt after a number of consecutive refusals. In the only round of a process, the number
// of earlier refusals is not known.
func (c *controller) refusalBackoff(refusals int) time.Duration {
	if c.isOneRound {
		return c.backoff.Last
	}
	return c.backoff.After(refusals)
}
