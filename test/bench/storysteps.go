package main

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/platform-operators/test/story"
)

// comparedSteps returns the steps of test/scenarios/scenarios/install-upgrade-remove.yaml.
func comparedSteps() []story.Step {
	return []story.Step{
		{Title: "it is installed", Within: roundLimit,
			Act:  func(ctx context.Context, admin *story.Admin) error { return admin.Create(ctx, comparedOperator, "") },
			Seen: isInstalled("1.0.0")},
		{Title: "it is upgraded", Within: roundLimit,
			Act: func(ctx context.Context, admin *story.Admin) error {
				return admin.Publish(ctx, offeredVersions("1.0.0", "1.1.0")...)
			},
			Seen: isInstalled("1.1.0")},
		{Title: "it is removed", Within: roundLimit,
			Act: func(ctx context.Context, admin *story.Admin) error {
				return admin.Platform.PlatformV1alpha1().PlatformOperators().Delete(ctx, comparedOperator, metav1.DeleteOptions{})
			},
			Seen: isRemoved},
	}
}

// isInstalled returns a step's Seen, which checks that the version is installed and healthy.
func isInstalled(version string) func(ctx context.Context, admin *story.Admin) error {
	return func(ctx context.Context, admin *story.Admin) error {
		return admin.Installed(ctx, comparedOperator, version)
	}
}

// isRemoved is a step's Seen, which checks that the operator is removed.
func isRemoved(ctx context.Context, admin *story.Admin) error {
	_, operator := admin.Platform.PlatformV1alpha1().PlatformOperators().Get(ctx, comparedOperator, metav1.GetOptions{})
	_, deployment := admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, comparedOperator, metav1.GetOptions{})
	_, namespace := admin.Kubernetes.CoreV1().Namespaces().Get(ctx, comparedOperator, metav1.GetOptions{})
	for kind, err := range map[string]error{"PlatformOperator": operator, "BundleDeployment": deployment, "Namespace": namespace} {
		if err == nil {
			return fmt.Errorf("%s %q still exists", kind, comparedOperator)
		}
		if !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}
