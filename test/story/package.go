package story

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// Package returns the steps of a scenario that installs one package from a real catalog and waits until it is healthy.
func Package(name string) []Step {
	return []Step{idle(), {
		Title: fmt.Sprintf("%s is installed from the catalog and healthy", name),
		See:   "kubectl get plop,bd", Within: 3 * time.Minute,
		Act: func(ctx context.Context, admin *Admin) error { return admin.Create(ctx, name, "") },
		Seen: func(ctx context.Context, admin *Admin) error {
			if err := admin.OperatorHas(ctx, name, platformv1alpha1.ConditionInstalled, metav1.ConditionTrue, platformv1alpha1.ReasonInstallSuccessful); err != nil {
				return err
			}
			return admin.OperatorHas(ctx, name, platformv1alpha1.ConditionHealthy, metav1.ConditionTrue, platformv1alpha1.ReasonAsExpected)
		},
		Stuck: func(ctx context.Context, admin *Admin) string { return cannotBeInstalled(ctx, admin, name) },
	}}
}

// cannotBeInstalled returns the Installed condition of a PlatformOperator as text if waiting does not help: the condition is False for the
// current generation, and an admin must act. It returns "" otherwise. The steps change nothing else in the cluster, so that such a
// condition is permanent.
func cannotBeInstalled(ctx context.Context, admin *Admin, name string) string {
	operator, err := admin.Operator(ctx, name)
	if err != nil {
		return "" // Seen returns this error
	}
	installed := meta.FindStatusCondition(operator.Status.Conditions, platformv1alpha1.ConditionInstalled)
	if installed == nil || installed.Status != metav1.ConditionFalse || installed.ObservedGeneration != operator.Generation {
		return ""
	}
	switch installed.Reason {
	case platformv1alpha1.ReasonSourceFailed, platformv1alpha1.ReasonValidationFailed, platformv1alpha1.ReasonUnpackFailed, platformv1alpha1.ReasonInstallFailed:
		return fmt.Sprintf("PlatformOperator %q says Installed=False/%s: %s", name, installed.Reason, installed.Message)
	}
	return ""
}
