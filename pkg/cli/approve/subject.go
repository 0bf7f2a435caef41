package approve

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/cli/cluster"
	"github.com/openshift/platform-operators/pkg/cli/operators"
	"github.com/openshift/platform-operators/pkg/ownership"
	"github.com/openshift/platform-operators/pkg/shell"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

// subject is what the command approves.
type subject struct {
	// operator is the PlatformOperator; nil for a BundleDeployment that is approved alone.
	operator *platformv1alpha1.PlatformOperator
	// deployment is the BundleDeployment; nil if the PlatformOperator has none yet.
	deployment *corev1alpha2.BundleDeployment
}

// read reads what the argument names. A name without a kind is that of a PlatformOperator, or else of a BundleDeployment without one.
func (o *Options) read(ctx context.Context) (subject, error) {
	if o.IsDeployment {
		deployment, err := o.connection.Deployment(ctx, o.Name)
		return subject{deployment: deployment}, err
	}
	operator, operatorErr := o.connection.Operator(ctx, o.Name)
	var missing *cluster.NoOperatorError
	if operatorErr != nil && (o.IsOperator || !errors.As(operatorErr, &missing)) {
		if cluster.IsForbidden(operatorErr) {
			return subject{}, fmt.Errorf("%w; to approve the plan without the PlatformOperator, use: %s approve %s", operatorErr, o.invocation.Name,
				shell.Quote("bundledeployment/"+o.Name))
		}
		return subject{}, operatorErr
	}
	deployment, err := o.connection.Deployment(ctx, o.Name)
	switch {
	case operatorErr != nil && err == nil && !ownership.IsOfPlatformOperator(deployment):
		return subject{deployment: deployment}, nil
	case operatorErr != nil:
		return subject{}, operatorErr
	case cluster.IsAbsent(err):
		return subject{operator: operator}, nil
	case err != nil:
		return subject{}, err
	}
	all := operators.Assign([]platformv1alpha1.PlatformOperator{*operator}, []corev1alpha2.BundleDeployment{*deployment})
	return subject{operator, all.Of(operator)}, nil
}

// name returns the name of the objects.
func (s subject) name() string {
	if s.operator != nil {
		return s.operator.Name
	}
	return s.deployment.Name
}

// title returns the kind and the name of the object that a user knows.
func (s subject) title() string {
	if s.operator != nil {
		return "PlatformOperator " + s.operator.Name
	}
	return "BundleDeployment " + s.deployment.Name
}

// isRemoved reports whether the PlatformOperator or the BundleDeployment is being deleted.
func (s subject) isRemoved() bool {
	return s.operator != nil && s.operator.DeletionTimestamp != nil || s.deployment != nil && s.deployment.DeletionTimestamp != nil
}

// pending returns what the manager has to do before it is known whether an approval is awaited; empty if that is known.
func (s subject) pending() string {
	switch {
	case s.isRemoved():
		return ""
	case s.operator != nil && (len(s.operator.Status.Conditions) == 0 || operators.IsOutdated(s.operator)):
		return "the manager has to reconcile PlatformOperator " + s.operator.Name
	case s.deployment == nil:
		return ""
	case upgradestep.IsStale(s.deployment):
		return "the manager has to reconcile BundleDeployment " + s.deployment.Name
	case s.approved().Status == metav1.ConditionUnknown && !s.deployment.Spec.Paused:
		return s.progress()
	}
	return ""
}

// progress returns what the rollout of the BundleDeployment waits for.
func (s subject) progress() string {
	progressing := conditionOf(s.deployment.Status.Conditions, corev1alpha2.ConditionProgressing)
	return fmt.Sprintf("BundleDeployment %s: %s", s.deployment.Name, cmp.Or(progressing.Message, "its plan is not computed yet"))
}

// approved returns the Approved condition of the BundleDeployment; the zero value if no approval is required.
func (s subject) approved() metav1.Condition {
	if s.deployment == nil {
		return metav1.Condition{}
	}
	return conditionOf(s.deployment.Status.Conditions, corev1alpha2.ConditionApproved)
}

// awaitsPlan reports whether a plan waits for an approval.
func (s subject) awaitsPlan() bool {
	return operators.AwaitsPlan(s.deployment) && s.digest() != "" && !s.isRemoved()
}

// digest returns the digest of the newest plan; empty if there is none.
func (s subject) digest() string { return operators.PlanDigest(s.deployment) }

// requiresPlan reports whether plans need an approval.
func (s subject) requiresPlan() bool {
	if s.operator != nil && s.operator.Spec.Install != nil {
		if approval := s.operator.Spec.Install.Approval; approval != nil && approval.Mode == corev1alpha2.ApprovalRequired {
			return true
		}
	}
	return s.approved().Type != "" || s.deployment != nil && corev1alpha2.RequiresApproval(s.deployment.Spec, corev1alpha2.ProvisionerClassSpec{})
}

// awaitsVersion reports whether a version waits for an approval.
func (s subject) awaitsVersion() bool {
	return s.operator != nil && !s.isRemoved() && !s.awaitsPlan() &&
		conditionOf(s.operator.Status.Conditions, platformv1alpha1.ConditionProgressing).Reason == platformv1alpha1.ReasonAwaitingApproval
}

// plannedVersion returns the version of the revision that the plan is about; empty if its bundle names none.
func (s subject) plannedVersion() string {
	status := s.deployment.Status
	for _, revision := range status.Revisions {
		if status.Plan != nil && revision.Number == status.Plan.Revision {
			return revision.Version
		}
	}
	if status.Bundle != nil {
		return status.Bundle.Version
	}
	return ""
}

// state returns the conditions that say why nothing waits for an approval, as sentences.
func (s subject) state() []string {
	if s.isRemoved() {
		return []string{s.title() + " is being deleted."}
	}
	var sentences []string
	add := func(object string, condition metav1.Condition) {
		if condition.Type != "" {
			sentences = append(sentences, fmt.Sprintf("%s: %s=%s (%s): %s", object, condition.Type, condition.Status, condition.Reason, condition.Message))
		}
	}
	if s.operator != nil {
		add(s.title(), conditionOf(s.operator.Status.Conditions, platformv1alpha1.ConditionProgressing))
	} else {
		add(s.title(), conditionOf(s.deployment.Status.Conditions, corev1alpha2.ConditionProgressing))
	}
	if approved := s.approved(); approved.Type != "" {
		add("BundleDeployment "+s.name(), approved)
	} else if s.deployment != nil {
		sentences = append(sentences, fmt.Sprintf("BundleDeployment %s: no plan needs an approval.", s.name()))
	}
	return sentences
}

// conditionOf returns a condition; the zero value if it is absent.
func conditionOf(conditions []metav1.Condition, name string) metav1.Condition {
	if found := meta.FindStatusCondition(conditions, name); found != nil {
		return *found
	}
	return metav1.Condition{}
}
