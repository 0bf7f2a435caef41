package story

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/samples"
)

// publishSextant publishes versions of sextant with the upgrade rules of its author.
func (a *Admin) publishSextant(ctx context.Context, versions ...string) error {
	rules := samples.Package{Name: sextant, Blobs: []string{samples.Rules(sextant, `semantics: semver
steps:
- {from: "1.0.x", through: "1.1.x", to: ">=1.2.0", select: latest, reason: 1.1 migrates stored objects}
- {from: "<1.2.0", through: "1.2.x", to: ">=1.3.0", select: latest}`)}}
	var operators []samples.Operator
	for _, version := range versions {
		operators = append(operators, samples.Operator{Package: sextant, Version: version})
	}
	return a.PublishPackages(ctx, []samples.Package{rules}, operators...)
}

func guarded() Step {
	return Step{
		Title: "sextant 1.0.0 is installed and paused; 1.1.4, 1.2.2 and 1.3.0 appeared, and its author wants each to be passed through: the path is shown",
		See:   "kubectl platform updates sextant", Within: long,
		Act: func(ctx context.Context, admin *Admin) error {
			if err := admin.Create(ctx, sextant, ""); err != nil {
				return err
			}
			wait := Step{Title: "installing sextant", Within: long, Seen: func(ctx context.Context, admin *Admin) error { return admin.Installed(ctx, sextant, "1.0.0") }}
			if err := wait.Run(ctx, admin); err != nil {
				return err
			}
			_, err := admin.Platform.PlatformV1alpha1().PlatformOperators().Patch(ctx, sextant, types.MergePatchType, []byte(`{"spec":{"paused":true}}`), metav1.PatchOptions{})
			return errors.Join(err, admin.publishSextant(ctx, "1.0.0", "1.1.3", "1.1.4", "1.2.2", "1.3.0"))
		},
		Seen: func(ctx context.Context, admin *Admin) error {
			operator, err := admin.Operator(ctx, sextant)
			if err != nil {
				return err
			}
			if updates := operator.Status.AvailableUpdates; len(updates) == 0 || strings.Join(updates[0].Path, " ") != "1.1.4 1.2.2 1.3.0" {
				return fmt.Errorf("the available updates are %+v", updates)
			}
			return nil
		},
	}
}

func hopByHop() Step {
	return Step{
		Title: "the pause is over: sextant went from 1.0.0 to 1.3.0 in three hops, each healthy before the next began",
		See:   "kubectl get plop sextant -o jsonpath='{.status.history}'", Within: long,
		Act: func(ctx context.Context, admin *Admin) error {
			_, err := admin.Platform.PlatformV1alpha1().PlatformOperators().Patch(ctx, sextant, types.MergePatchType, []byte(`{"spec":{"paused":null}}`), metav1.PatchOptions{})
			return err
		},
		Seen: func(ctx context.Context, admin *Admin) error {
			if err := admin.Installed(ctx, sextant, "1.3.0"); err != nil {
				return err
			}
			operator, err := admin.Operator(ctx, sextant)
			if err != nil {
				return err
			}
			var hops []string
			for _, entry := range operator.Status.History {
				hops = append(hops, entry.Version+" "+string(entry.State))
			}
			if got := strings.Join(hops, ", "); got != "1.3.0 Ready, 1.2.2 Ready, 1.1.4 Ready, 1.0.0 Ready" {
				return fmt.Errorf("the history is %s", got)
			}
			return nil
		},
	}
}

func awaiting() Step {
	return Step{
		Title: "the admin wants to approve each change of sextant; sextant 1.3.1 appeared, and is not installed before its plan is approved",
		See:   "kubectl platform approve sextant --dry-run", Within: long,
		Act: func(ctx context.Context, admin *Admin) error {
			patch := []byte(`{"spec":{"install":{"approval":{"mode":"Required"}}}}`)
			_, err := admin.Platform.PlatformV1alpha1().PlatformOperators().Patch(ctx, sextant, types.MergePatchType, patch, metav1.PatchOptions{})
			return errors.Join(err, admin.publishSextant(ctx, "1.0.0", "1.1.3", "1.1.4", "1.2.2", "1.3.0", "1.3.1"))
		},
		Seen: func(ctx context.Context, admin *Admin) error {
			deployment, err := admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, sextant, metav1.GetOptions{})
			if err != nil {
				return err
			}
			approved := meta.FindStatusCondition(deployment.Status.Conditions, corev1alpha2.ConditionApproved)
			if deployment.Status.Plan == nil || deployment.Status.Plan.Update.Total == 0 || approved == nil || approved.Reason != corev1alpha2.ReasonAwaitingApproval {
				return errors.New("no plan of sextant waits for an approval")
			}
			operator, err := admin.Operator(ctx, sextant)
			if err != nil {
				return err
			}
			if installed := operator.Status.Installed; installed == nil || installed.Version != "1.3.0" {
				return fmt.Errorf("installed is %+v", installed)
			}
			return admin.OperatorHas(ctx, sextant, platformv1alpha1.ConditionProgressing, metav1.ConditionFalse, platformv1alpha1.ReasonAwaitingApproval)
		},
	}
}

func approved() Step {
	return Step{
		Title: "the admin read the plan and approved it by its digest; sextant 1.3.1 is installed, and status names who approved it",
		See:   "kubectl get bd sextant -o jsonpath='{.status.revisions}'", Within: long,
		Act: func(ctx context.Context, admin *Admin) error { return admin.approve(ctx, sextant) },
		Seen: func(ctx context.Context, admin *Admin) error {
			deployment, err := admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, sextant, metav1.GetOptions{})
			if err != nil {
				return err
			}
			if revisions := deployment.Status.Revisions; len(revisions) == 0 || revisions[len(revisions)-1].ApprovedBy == "" {
				return errors.New("status.revisions names no approver")
			}
			return admin.Installed(ctx, sextant, "1.3.1")
		},
	}
}
