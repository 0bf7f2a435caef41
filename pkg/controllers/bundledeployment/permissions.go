package bundledeployment

import (
	"context"
	"time"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/revision"
)

// aggregationTime is the time for which a denied request is attributed to ClusterRoles of the revision that are not aggregated yet.
// Kubernetes aggregates a ClusterRole within seconds.
const aggregationTime = 15 * time.Second

// checkPermissions returns a refusal if the manager lacks permissions for a revision, and sets missing. Permissions that only ClusterRoles
// of other revisions grant count as missing, because these ClusterRoles are pruned.
func (s *reconciliation) checkPermissions(ctx context.Context, of *revision.Revision, options apply.PermissionOptions) error {
	for number, set := range s.memory.sets {
		if number != of.Number {
			options.Replaced = append(options.Replaced, set)
		}
	}
	options.ServiceAccount = of.ServiceAccount
	as, err := s.identityOf(of.ServiceAccount)
	if err != nil {
		return err
	}
	if s.missing, err = s.c.checker.MissingPermissions(ctx, as, s.memory.sets[of.Number], options); err != nil {
		return err
	}
	return apply.NotPermitted(s.deployment.Name, s.deployment.Spec.InstallNamespace, s.missing)
}

// explainDenial checks the permissions again after the API server denied a request, sets missing, and stores the missing roles. It returns a
// refusal that names the missing permissions. It returns nil if none is missing, because then something else denies the request, such as a policy or a
// quota.
//
// Permissions that the revision's own ClusterRoles grant count as missing if requests have been denied for aggregationTime, or if the
// status already reports the permissions.
func (s *reconciliation) explainDenial(ctx context.Context, of *revision.Revision) error {
	s.c.checker.InvalidatePermissions()
	reported := s.reportedPermissions()
	now, since := s.c.clock.Now(), &s.memory.deniedSince
	if since.IsZero() {
		*since = now
	}
	wait := since.Add(aggregationTime).Sub(now)
	err := s.checkPermissions(ctx, of, apply.PermissionOptions{Applied: wait <= 0, Reported: reported})
	if len(s.missing) > 0 {
		if failed := s.saveRoles(ctx); failed != nil {
			return failed
		}
		return err
	}
	s.retry(max(wait, 0))
	return nil
}

// reportedPermissions returns the missing permissions that the last written status reports.
func (s *reconciliation) reportedPermissions() []corev1alpha2.MissingPermission {
	if plan := s.before.Status.Plan; plan != nil {
		return plan.PermissionsMissing
	}
	return nil
}
