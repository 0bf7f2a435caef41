package platformoperator

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/ownership"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// state is one sync of one PlatformOperator: what was read, what was decided, and the status to write at the end.
type state struct {
	*controller

	// before is the lister's object and is never changed; operator is the copy whose status is filled in.
	before   *platformv1alpha1.PlatformOperator
	operator *platformv1alpha1.PlatformOperator
	// deployment is the BundleDeployment of the same name, nil when there is none.
	deployment *corev1alpha2.BundleDeployment
	// record is the bundle that the deployment was last pointed at, nil when nobody knows any more.
	record   *platformv1alpha1.InstalledBundle
	decision resolve.Decision
	// decided is whether the resolver was asked, and others who has to look again after that.
	decided bool
	others  []string
	// providers are what the catalogs said of who brings which kinds, as it was decided upon.
	providers map[catalog.GVK][]resolve.Providers
	hop       hop
	// began is how the hop to record began, nil when that is not written down.
	began *beginning
	// updating is the version that the cluster itself is being updated to; empty when it is not.
	updating string
	asked    *asked
	// told is what the catalogs say of what is installed.
	told resolve.Deprecation
	// ignored says of each override that does not count why.
	ignored []string
	// refusal stops the operator before anything is chosen: its reason and message for the Installed condition.
	refusal *refusal
	// on is the cluster: the version that it runs or is moving to, empty when it is not known, and how the manager is configured.
	on resolve.Cluster
}

type refusal struct{ reason, message string }

// stage is one step of a sync. It returns true when the steps after it must not run; status is written in every case.
type stage struct {
	name string
	run  func(context.Context, *state) (bool, error)
}

// stages are run in this order. A stage that changes the cluster changes one object.
var stages = []stage{
	{"reading what belongs to", gather},
	{"removing", remove},
	{"adding the finalizer to", addFinalizer},
	{"checking", check},
	{"choosing a bundle for", choose},
	{"deploying", deploy},
	{"reporting", report},
}

// gather reads everything that the other stages decide upon.
func gather(_ context.Context, s *state) (bool, error) {
	deployment, err := s.deployments.Get(s.operator.Name)
	if err != nil && !apierrors.IsNotFound(err) {
		return true, err
	}
	if err == nil {
		s.deployment = deployment
		s.record, s.began = recordOf(deployment), beginningOf(deployment)
		if s.record == nil {
			s.record = recordFrom(s.operator.Status, deployment)
		}
	} else {
		s.record = lost(s.operator.Status)
	}
	s.on, s.updating, err = s.cluster()
	return err != nil, err
}

// check refuses operators that must not be carried out at all: the second of a package, or one whose BundleDeployment
// belongs to somebody else. That one is not carried out either, so that it neither takes nor keeps what is the operator's.
func check(_ context.Context, s *state) (bool, error) {
	if s.deployment != nil && !ownership.BelongsTo(s.deployment, s.operator) {
		s.refusal = &refusal{platformv1alpha1.ReasonValidationFailed, fmt.Sprintf(
			"BundleDeployment %q exists and does not belong to this PlatformOperator. "+
				"The manager acts on neither, and does not delete the BundleDeployment. "+
				"Delete the BundleDeployment (\"kubectl delete bundledeployment %s\"), which removes what it installed, "+
				"or create a PlatformOperator of another name instead of this one.",
			s.deployment.Name, s.deployment.Name)}
		s.deployment, s.record, s.began = nil, nil, nil
		return false, nil
	}
	all, err := s.operators.List(labels.Everything())
	if err != nil {
		return true, err
	}
	if winner := packageHolder(s.operator, all); winner != s.operator.Name {
		s.refusal = &refusal{platformv1alpha1.ReasonValidationFailed, fmt.Sprintf(
			"PlatformOperator %q already has package %q and is older; one package is installed once. Delete one of the two.",
			winner, s.operator.Spec.Package.Name)}
		if s.deployment == nil {
			s.record = nil // what it had is not put back beside the other's
		}
	}
	return false, nil
}

// packageHolder names the PlatformOperator that has the operator's package: the older one; of two that were created in the
// same second, which is as fine as the API server counts, the one that has something deployed; then the first by name. One
// that is being deleted holds its package until it is gone, so that two never fight for one set of objects.
func packageHolder(operator *platformv1alpha1.PlatformOperator, all []*platformv1alpha1.PlatformOperator) string {
	holder := operator
	for _, other := range all {
		if other.Spec.Package.Name != operator.Spec.Package.Name {
			continue
		}
		if holdsBefore(other, holder) {
			holder = other
		}
	}
	return holder.Name
}

func holdsBefore(a, b *platformv1alpha1.PlatformOperator) bool {
	if !a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.CreationTimestamp.Before(&b.CreationTimestamp)
	}
	if deployed := deployedOrLost(a.Status); deployed != deployedOrLost(b.Status) {
		return deployed
	}
	return a.Name < b.Name
}

func deployedOrLost(status platformv1alpha1.PlatformOperatorStatus) bool {
	return status.ActiveBundleDeployment != nil || status.Installed != nil
}

// choose asks the resolver for the bundle that should run, and decides whether to move there now.
func choose(ctx context.Context, s *state) (bool, error) {
	if s.refusal != nil {
		return false, nil
	}
	request, err := requestFor(s.operator, s.deployment, s.on)
	if err != nil {
		s.refusal = &refusal{platformv1alpha1.ReasonValidationFailed, err.Error()}
		if s.deployment == nil && s.record != nil {
			s.hop = s.situation().restore() // what was installed needs no catalog
		}
		return false, nil
	}
	if s.decision, err = s.decide(ctx, request); err != nil {
		return true, err
	}
	offers := s.catalogs.For(request.Package)
	s.asked = &asked{request, offers}
	in := s.situation()
	in.away = s.record != nil && slices.ContainsFunc(offers, func(c resolve.Catalog) bool { return c.Err != nil && c.ID.String() == s.record.Catalog })
	s.hop = decideHop(in, s.decision).afterRecording(in)
	s.told = deprecation(request, offers, s.operator.Status.Installed)
	return false, nil
}

// situation is what there is to decide a hop in.
func (s *state) situation() situation {
	return situation{
		record: s.record, installed: s.operator.Status.Installed, deployment: s.deployment, began: s.began,
		readyTold: s.readyTold(), versions: s.operator.Spec.Package.Version,
		wish: wishOf(s.operator.Spec), edited: s.operator.Generation != s.operator.Status.ObservedGeneration,
		updating: s.updating, manual: s.manual(), approved: s.decision.Target != nil && s.approves(*s.decision.Target),
		start: s.startOfAHop(),
	}
}

// manual says whether moves need a word.
func (s *state) manual() bool {
	var own platformv1alpha1.Approval
	if upgrades := s.operator.Spec.Upgrades; upgrades != nil {
		own = upgrades.Approval
	}
	return cmp.Or(own, s.on.Manager.DefaultApproval) == platformv1alpha1.ApprovalManual
}

// approves says whether the spec names a version as the one that may be moved to. What is installed has been moved to.
func (s *state) approves(candidate resolve.Candidate) bool {
	upgrades := s.operator.Spec.Upgrades
	if upgrades == nil || !s.manual() || upgrades.ApprovedVersion != candidate.Version.String() {
		return false
	}
	installed := s.operator.Status.Installed
	return installed == nil || installed.Version != candidate.Bundle.Version || installed.Release != candidate.Bundle.Release
}
