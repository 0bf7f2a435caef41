package bundledeployment

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/revision"
)

// dryRunner applies objects as a dry run. *apply.Engine implements it.
type dryRunner interface {
	DryRun(ctx context.Context, as apply.Identity, serviceAccount string, set *apply.Set, former apply.DryRun) (apply.DryRun, error)
	StillMissing(ctx context.Context, as apply.Identity, missing []corev1alpha2.MissingPermission) ([]corev1alpha2.MissingPermission, error)
}

// dryRun is the dry run of a revision that has not started.
type dryRun struct {
	// number is the number of the revision. uid is the UID of the ServiceAccount; empty for the manager.
	number int64
	uid    string
	apply.DryRun
}

// isMade reports whether all objects were sent.
func (d dryRun) isMade() bool { return d.Total > 0 && d.IsDone() }

// checkDryRun applies a revision as a dry run, if a ServiceAccount applies it or its plan needs an approval, so that the plan has the API
// server's warnings before anything is written. It adds to s.missing, and returns a refusal if a ServiceAccount lacks permissions. While
// the dry run is not done, it returns a clause that says how far it is. A process with one round only computes changes, and makes no dry
// run.
func (s *reconciliation) checkDryRun(ctx context.Context, of *revision.Revision) (waiting string, err error) {
	if s.c.isOneRound || of.ServiceAccount == "" && !corev1alpha2.RequiresApproval(s.before.Spec, s.memory.class) {
		return "", nil
	}
	as, err := s.identityOf(of.ServiceAccount)
	if err != nil {
		return "", err
	}
	known := &s.memory.dryRun
	if known.number != of.Number || known.uid != s.uid {
		*known = dryRun{number: of.Number, uid: s.uid}
	}
	if len(known.Missing) > 0 {
		still, err := s.c.dryRunner.StillMissing(ctx, as, known.Missing)
		if err != nil {
			return "", err
		}
		if known.Missing = still; len(still) == 0 {
			known.DryRun = apply.DryRun{} // the next one finds what the former did not list
		}
	}
	if !known.isMade() {
		if known.DryRun, err = s.c.dryRunner.DryRun(ctx, as, of.ServiceAccount, s.memory.sets[of.Number], known.DryRun); err != nil {
			return "", err
		}
	}
	if !known.IsDone() {
		s.retry(time.Millisecond)
		return fmt.Sprintf("applying the objects as a dry run: %d of %d are done", known.Sent, known.Total), nil
	}
	s.missing = append(s.missing, known.Missing...)
	return "", apply.NotPermitted(s.deployment.Name, s.deployment.Spec.InstallNamespace, s.missing)
}

// planWarnings returns the warnings of the plan of the newest revision: those in the status and, until objects of the revision are written,
// those of its dry run. If this process has not made the dry run, it returns the warnings in the last written plan.
func (s *reconciliation) planWarnings(newest *revision.Revision) []string {
	status := s.deployment.Status.Warnings
	if newest.HasObjects() {
		return status
	}
	if known := s.memory.dryRun; known.number == newest.Number && known.isMade() {
		return revision.WithWarnings(status, known.Warnings)
	}
	if before := s.before.Status.Plan; before != nil && before.Revision == newest.Number {
		return slices.Clone(before.Warnings)
	}
	return status
}
