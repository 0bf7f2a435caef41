package bundledeployment

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/crdsafety"
	"github.com/openshift/platform-operators/pkg/drift"
	"github.com/openshift/platform-operators/pkg/plan"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/storedobjects"
)

// The interfaces that *apply.Engine implements and the controller uses.
type (
	// applier applies and observes objects.
	applier interface {
		Apply(ctx context.Context, set *apply.Set, options apply.Options) (apply.Report, error)
		Observe(ctx context.Context, as apply.Identity, set *apply.Set) apply.Report
		UnmatchedIgnores(ctx context.Context, set *apply.Set, ignore []corev1alpha2.DriftIgnore) []drift.Unmatched
	}
	// remover removes objects, and finds those of lost revisions.
	remover interface {
		Remove(ctx context.Context, set *apply.Set, options apply.RemoveOptions, keep ...*apply.Set) (apply.Removal, error)
		Leftovers(ctx context.Context, owner apply.Owner, installNamespace string) (*apply.Set, error)
	}
	// checker checks the requirements of a revision before it starts.
	checker interface {
		MissingPermissions(ctx context.Context, as apply.Identity, set *apply.Set, options apply.PermissionOptions) ([]corev1alpha2.MissingPermission, error)
		InstallNamespace(ctx context.Context, owner apply.Owner, name string) (plan.InstallNamespace, error)
		// InvalidatePermissions clears the cached permissions.
		InvalidatePermissions()
	}
	// definitionChecker checks the CustomResourceDefinitions of a revision before it starts.
	definitionChecker interface {
		// ChangedDefinitions returns the CustomResourceDefinitions that a set changes, and StoredObjects whether stored custom resources fit
		// them.
		ChangedDefinitions(ctx context.Context, as apply.Identity, set *apply.Set) ([]crdsafety.Change, error)
		StoredObjects(as apply.Identity, request storedobjects.Request) (storedobjects.Result, bool)
	}
	// watcher watches objects that were applied, and kinds that the API server does not serve.
	watcher interface {
		KeepWatches(owner apply.Owner, keep ...*apply.Set)
		ServesAll(ctx context.Context, owner apply.Owner, kinds []schema.GroupVersionKind) (bool, error)
		Release(owner string)
	}
)

// apply applies the target of a rollout. The error of the engine becomes part of the machine's input; apply does not return it.
func (s *reconciliation) apply(ctx context.Context, action revision.Action) error {
	set := s.memory.sets[action.Revision.Number]
	options, err := s.options(action)
	if err != nil {
		return err
	}
	report, err := s.c.applier.Apply(ctx, set, options)
	s.phases = report.Phases
	if report.HasLaterRound { // the active revision must not undo what earlier rounds have applied of the later phases
		s.phases = len(set.Phases())
	}
	s.take(report)
	var lacks corev1alpha2.FailedFor
	if apierrors.IsForbidden(err) {
		if denied := s.explainDenial(ctx, action.Revision); denied != nil {
			err, lacks = denied, corev1alpha2.FailedForPermissions
			s.retry(permissionsInterval)
		}
	} else {
		s.memory.deniedSince = time.Time{}
		if !s.deployment.Spec.Paused { // while it is paused, the status keeps what is missing
			if err := s.saveRoles(ctx); err != nil {
				return err
			}
		}
	}
	s.c.recordRefusal(s.deployment.Name, err)
	problem := problemOf(err)
	problem.Lacks = lacks
	s.machine.SetApplied(reportOf(report), problem)
	s.searchIgnores(ctx, set)
	return nil
}

// searchIgnores records the entries of spec.drift.ignore that select nothing. It does not search the entries of the ProvisionerClass: they
// apply to all BundleDeployments of the class, so it is normal that some of them select nothing in this one.
func (s *reconciliation) searchIgnores(ctx context.Context, set *apply.Set) {
	s.memory.ignores = unmatchedIgnores{}
	if own := s.deployment.Spec.Drift; own != nil && len(own.Ignore) > 0 {
		s.memory.ignores = unmatchedIgnores{own.Ignore, s.c.applier.UnmatchedIgnores(ctx, set, own.Ignore)}
	}
}

// unmatchedIgnores holds the result of a search: the entries of spec.drift.ignore that were searched, and those of them that select
// nothing.
type unmatchedIgnores struct {
	ignore []corev1alpha2.DriftIgnore
	found  []drift.Unmatched
}

// of returns the entries of a spec that select nothing; nil if other entries than those of the spec were searched.
func (u unmatchedIgnores) of(spec *corev1alpha2.Drift) []drift.Unmatched {
	if spec == nil || !equality.Semantic.DeepEqual(spec.Ignore, u.ignore) {
		return nil
	}
	return u.found
}

// applyRemaining applies the objects that only the active revision contains, except those in phases that the target has already reached.
func (s *reconciliation) applyRemaining(ctx context.Context, action revision.Action) error {
	target := s.machine.Desired()
	rest := s.memory.sets[action.Revision.Number].Without(s.memory.sets[target.Number], s.phases)
	options, err := s.options(action)
	if err != nil {
		return err
	}
	report, err := s.c.applier.Apply(ctx, rest, options)
	s.take(report)
	s.machine.SetRemaining(reportOf(report), problemOf(err))
	return nil
}

// observe reads the state of the active revision's objects without writing anything.
func (s *reconciliation) observe(ctx context.Context, action revision.Action) error {
	as, err := s.identityOf(action.Revision.ServiceAccount)
	if err != nil {
		return err
	}
	report := s.c.applier.Observe(ctx, as, s.memory.sets[action.Revision.Number])
	s.retry(report.RetryAfter)
	s.machine.SetObserved(reportOf(report))
	return nil
}

func (s *reconciliation) options(action revision.Action) (apply.Options, error) {
	by := action.Apply
	as, err := s.identityOf(action.Revision.ServiceAccount)
	options := apply.Options{
		As:    as,
		Gated: by.Gated, Trusted: by.Trusted, ReadOnly: s.deployment.Spec.Paused,
		Adoption: s.deployment.Spec.Adoption, Applied: s.memory.sets.Of(s.machine.AppliedRevisions()), Drift: s.policies.Drift,
		Namespace: s.knownNamespace(), Confirm: func(ctx context.Context) error {
			if err := s.confirmCurrent(ctx); err != nil {
				return err
			}
			return s.confirmAccount(ctx, action.Revision)
		},
	}
	if by.Enforce {
		options.Drift.Policy = corev1alpha2.DriftEnforce
	}
	return options, err
}

// confirmCurrent returns an error if the BundleDeployment does not exist on the API server, or has another spec. After a backup was restored,
// the cache may still contain a BundleDeployment that no longer exists, and objects that are created for it would have no owner. After a
// start, the cache may contain an earlier spec, which is not paused, for example.
func (s *reconciliation) confirmCurrent(ctx context.Context) error {
	live, err := s.c.client.Get(ctx, s.deployment.Name, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("reading BundleDeployment %q before its objects are written or deleted: %w", s.deployment.Name, err)
	}
	if live.UID != s.deployment.UID || live.DeletionTimestamp != nil {
		return fmt.Errorf("BundleDeployment %q is not the one in the cache, or is being deleted; its objects are not written or deleted", s.deployment.Name)
	}
	if live.Generation != s.deployment.Generation {
		return &apply.WaitError{Reason: fmt.Sprintf("BundleDeployment %q has just changed; its objects are written or deleted when the manager has read the change", s.deployment.Name)}
	}
	return nil
}

func reportOf(report apply.Report) revision.Report {
	var missing []corev1alpha2.MissingKind
	for _, kind := range report.MissingKinds {
		missing = append(missing, corev1alpha2.MissingKind(kind))
	}
	return revision.Report{
		MissingKinds: missing,
		Total:        report.Total, Ready: report.Ready, Unready: report.Unready, Command: report.Command,
		Complete: report.Complete, Waiting: report.Waiting, Written: report.Written, Exists: report.Exists, Unread: report.Unread,
	}
}

// problemOf converts an error of the engine to a Problem: refused if the error wraps an apply.Refusal, otherwise transient. For a nil error
// it returns the zero Problem.
func problemOf(err error) revision.Problem {
	if refusal := (*apply.Refusal)(nil); errors.As(err, &refusal) {
		return revision.Problem{Err: refusal, Refused: true}
	}
	return revision.Problem{Err: err}
}

// permissionsInterval is the time between two checks for a missing permission during a rollout, because no watch reports that the
// permission was granted.
const permissionsInterval = revision.RequirementInterval

// checkRequirements plans a revision, and checks whether it may start. If the class does not allow the revision, it checks nothing else. It
// reads the permissions and the install namespace at this point, so that no revision is partly written when a requirement is not met. It
// checks the permissions before the approval, so that status shows the missing ones to the person who approves.
func (s *reconciliation) checkRequirements(ctx context.Context, action revision.Action) error {
	if check := s.checkRevisionClass(ctx, action.Revision); check.Unmet != revision.NoRequirement {
		s.machine.SetCheck(check)
		return nil
	}
	uid, err := s.accountUID(ctx, action.Revision.ServiceAccount)
	if err != nil {
		s.machine.SetCheck(revision.Check{Unmet: revision.Permissions, Problem: problemOf(err)})
		return nil
	}
	s.uid = uid
	permitted, waiting := s.checkPermissions(ctx, action.Revision, apply.PermissionOptions{}), ""
	if permitted == nil {
		waiting, permitted = s.checkDryRun(ctx, action.Revision)
	}
	isPlanned := s.before.Status.Plan != nil && s.before.Status.Plan.Revision == action.Revision.Number
	switch problem := problemOf(permitted); {
	case waiting != "" && !isPlanned: // a plan is shown with the warnings of the dry run
		s.machine.SetCheck(revision.Check{Unmet: revision.Permissions, Waiting: waiting})
		return nil
	case problem.Err != nil && !problem.Refused: // otherwise a plan that waits for its approval would hide it
		s.machine.SetCheck(revision.Check{Unmet: revision.Permissions, Problem: problem})
		return nil
	case problem.Refused: // also while an approval is awaited
		s.retry(permissionsInterval)
	}
	check := s.checkDefinitions(ctx, action.Revision)
	approved := s.checkApproval(ctx, action.Revision)
	if check.Unmet == revision.NoRequirement { // only a safe change is worth an approval
		check = approved
	}
	if check.Unmet == revision.NoRequirement {
		check = revision.Check{Unmet: revision.Permissions, Problem: problemOf(permitted), Waiting: waiting}
	}
	if check.Problem.Err == nil && check.Waiting == "" && check.Unmet == revision.Permissions {
		check = revision.Check{Unmet: revision.InstallNamespace, Problem: problemOf(s.checkNamespace(ctx))}
	}
	if check.Problem.Err == nil && check.Waiting == "" {
		check.Unmet = revision.NoRequirement
	}
	check.Approval, check.AccountUID = approved.Approval, uid
	s.machine.SetCheck(check)
	return nil
}

// checkFailure checks whether the kinds or permissions that a failed revision lacked now exist. If the check itself fails, they count as
// missing until the next check.
func (s *reconciliation) checkFailure(ctx context.Context, action revision.Action) error {
	failed := action.Revision
	if failed.FailedFor == corev1alpha2.FailedForPermissions {
		err := s.checkPermissions(ctx, failed, apply.PermissionOptions{Reported: s.reportedPermissions()})
		s.machine.SetProvided(err == nil)
		return nil
	}
	var kinds []schema.GroupVersionKind
	for _, kind := range failed.KindsMissing {
		kinds = append(kinds, schema.GroupVersionKind(kind))
	}
	served, err := s.c.watcher.ServesAll(ctx, apply.Owner{Name: s.deployment.Name}, kinds)
	s.machine.SetProvided(err == nil && served)
	return nil
}

// take records the part of a report that the machine does not need: the retry time, the install namespace, warnings and drift.
func (s *reconciliation) take(report apply.Report) {
	s.retry(report.RetryAfter)
	if report.NamespaceSeen {
		s.preexisting = &report.Preexisting
	}
	if report.NamespaceUID != "" {
		s.deployment.Status.InstallNamespaceUID = string(report.NamespaceUID)
	}
	s.addEvents(s.memory.warnings.Add(report.Warnings, s.deployment.Status.Warnings))
	s.c.metrics.Repaired(s.deployment.Name, report.Repaired)
	s.addEvents(s.memory.drift.Add(report.Drift, report.Drifted, s.before.Status.Drift))
}
