package bundledeployment

import (
	"cmp"
	"context"
	"slices"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/plan"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/store"
)

// plans stores the text of plans, and the roles that ServiceAccounts lack. *store.Plans implements it.
type plans interface {
	// Save returns the names of the ConfigMaps.
	Save(ctx context.Context, of *corev1alpha2.BundleDeployment, text *plan.Plan) ([]string, error)
	SaveRoles(ctx context.Context, of *corev1alpha2.BundleDeployment, digest, roles string) error
}

// policies are the admission policies that decide who may approve. *admissionpolicies.Reader implements it.
type policies interface {
	// NotInForce returns a clause that names a policy which does not deny what it must deny; empty if there is none.
	NotInForce(ctx context.Context) (string, error)
}

// plannedRevision is the plan of a revision, and what it was computed from.
type plannedRevision struct {
	number, active int64
	terms          plan.Terms
	// isStored is true if the text of the plan is stored.
	isStored bool
	// findings are the unsafe changes of CustomResourceDefinitions.
	findings []corev1alpha2.CRDFinding
	summary  corev1alpha2.Plan
}

// hasInputsOf reports whether the plan was computed from the same revisions, terms and findings as other, and is stored if other must be.
func (p plannedRevision) hasInputsOf(other plannedRevision) bool {
	return p.number == other.number && p.active == other.active && p.terms == other.terms && p.isStored == other.isStored &&
		slices.Equal(p.findings, other.findings)
}

// checkApproval plans a revision, and checks whether its plan is approved. It stores the text of the plan if an approval is required, or if the
// ServiceAccount lacks permissions.
func (s *reconciliation) checkApproval(ctx context.Context, of *revision.Revision) revision.Check {
	isRequired := corev1alpha2.RequiresApproval(s.before.Spec, s.memory.class)
	err := s.plan(ctx, of, isRequired || lacksAccount(s.missing))
	if err == nil {
		err = s.saveRoles(ctx)
	}
	if err != nil {
		return revision.Check{Unmet: revision.Approval, Problem: problemOf(err)}
	}
	if !isRequired {
		return revision.Check{}
	}
	check := revision.CheckApproval(s.before, s.memory.planned.summary, s.c.managerNamespace)
	if check.Problem.Err != nil {
		return check
	}
	switch problem, err := s.c.admission.NotInForce(ctx); {
	case err != nil:
		return revision.Check{Unmet: revision.Approval, Problem: revision.Problem{Err: err}}
	case problem != "":
		return revision.PoliciesNotInForce(problem)
	}
	return check
}

// plan computes the plan of a revision, unless the last plan was computed from the same revisions and terms. If isStored is true, it stores the
// text.
func (s *reconciliation) plan(ctx context.Context, of *revision.Revision, isStored bool) error {
	planned := plannedRevision{number: of.Number, terms: s.terms(), isStored: isStored, findings: s.findings}
	in := plan.Input{Objects: s.memory.sets[of.Number].Planned(), Terms: planned.terms, Findings: s.findings}
	if active := s.machine.Active(); active != nil {
		planned.active, in.Active = active.Number, s.memory.sets[active.Number].Planned()
	}
	if s.memory.planned.hasInputsOf(planned) {
		return nil
	}
	computed := plan.New(in)
	planned.summary = computed.Summary()
	planned.summary.Revision, planned.summary.CRDFindings = of.Number, s.findings[:min(len(s.findings), maxFindings)]
	if isStored {
		names, err := s.c.plans.Save(ctx, s.before, computed)
		if err != nil {
			return err
		}
		planned.summary.ConfigMaps = names
	}
	s.memory.planned = planned
	return nil
}

// lacksAccount reports whether a ServiceAccount lacks one of the permissions.
func lacksAccount(missing []corev1alpha2.MissingPermission) bool {
	return slices.ContainsFunc(missing, func(each corev1alpha2.MissingPermission) bool { return each.ServiceAccountName != "" })
}

// storedRoles identifies the roles that are stored for an admin: the digest of their plan, and the roles as YAML.
type storedRoles struct{ digest, roles string }

// saveRoles stores the roles that the ServiceAccount lacks according to missing, so that an admin can apply them, also after the revision was
// started. If no role is missing, it deletes those that are stored.
func (s *reconciliation) saveRoles(ctx context.Context) error {
	roles, err := plan.MissingRoles(s.before.Name, s.before.Spec.InstallNamespace, s.missing)
	if err != nil {
		return err
	}
	wanted, newest := storedRoles{roles: roles}, s.machine.Newest()
	if roles != "" && newest != nil {
		wanted.digest = s.planOf(newest).Digest
	}
	before := s.before.Status.Plan
	isReported := before != nil && slices.Contains(before.ConfigMaps, store.RolesName(s.before.Name))
	if s.memory.roles == wanted && (roles != "" || !isReported) {
		return nil
	}
	if err := s.c.plans.SaveRoles(ctx, s.before, wanted.digest, roles); err != nil {
		return err
	}
	s.memory.roles = wanted
	return nil
}

// terms returns the conditions under which the spec asks for the objects to be applied.
func (s *reconciliation) terms() plan.Terms {
	return plan.Terms{
		Deployment: s.before.Name, InstallNamespace: s.before.Spec.InstallNamespace, ServiceAccount: s.before.Spec.ServiceAccountName, UID: s.uid,
		Config:   s.source.desired.Config,
		Adoption: cmp.Or(s.before.Spec.Adoption, corev1alpha2.AdoptionSamePackage), CRDs: cmp.Or(s.policies.CRDs, corev1alpha2.CRDsOrphan),
		CRDSafety: plan.CanonicalCRDSafety(s.before.Spec.Preflight.CRDSafety()),
	}
}

// planOf returns the plan of the newest revision for status, without its warnings, what is missing, and the ConfigMap with the missing roles:
// the one that this process has computed, or the one in status. A plan without a revision is that of an earlier manager, whose digest was
// that of the objects alone.
func (s *reconciliation) planOf(newest *revision.Revision) *corev1alpha2.Plan {
	if planned := s.memory.planned; planned.number == newest.Number {
		return planned.summary.DeepCopy()
	}
	planned := &corev1alpha2.Plan{}
	if before := s.before.Status.Plan; before != nil && (before.Revision == newest.Number || before.Revision == 0 && before.Digest == newest.Plan) {
		planned = before.DeepCopy()
		if last := len(planned.ConfigMaps) - 1; last >= 0 && planned.ConfigMaps[last] == store.RolesName(s.before.Name) {
			planned.ConfigMaps = planned.ConfigMaps[:last]
		}
	}
	return planned
}
