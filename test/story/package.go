package story

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// Package is the story of one package of a real catalog: it gets installed and healthy.
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
	}}
}
