package main

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/platform-operators/test/story"
)

// comparedSteps are the steps of the story in test/scenarios/scenarios/install-upgrade-remove.yaml.
func comparedSteps() []story.Step {
	return []story.Step{
		{Title: "it is installed", Within: roundLimit,
			Act:  func(ctx context.Context, admin *story.Admin) error { return admin.Create(ctx, comparedOperator, "") },
			Seen: seenInstalled("1.0.0")},
		{Title: "it is upgraded", Within: roundLimit,
			Act: func(ctx context.Context, admin *story.Admin) error {
				return admin.Publish(ctx, offeredVersions("1.0.0", "1.1.0")...)
			},
			Seen: seenInstalled("1.1.0")},
		{Title: "it is removed", Within: roundLimit,
			Act: func(ctx context.Context, admin *story.Admin) error {
				return admin.Platform.PlatformV1alpha1().PlatformOperators().Delete(ctx, comparedOperator, metav1.DeleteOptions{})
			},
			Seen: seenGone},
	}
}

// seenInstalled is a step's Seen: the version is installed and healthy, and nothing is going on.
func seenInstalled(version string) func(ctx context.Context, admin *story.Admin) error {
	return func(ctx context.Context, admin *story.Admin) error {
		return admin.Installed(ctx, comparedOperator, version)
	}
}

// seenGone is a step's Seen: nothing is left of the operator.
func seenGone(ctx context.Context, admin *story.Admin) error {
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
