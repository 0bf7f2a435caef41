package story

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	configv1 "github.com/openshift/api/config/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/samples"
)

// beacon, sextant and compass are the sample operators of the story. The admin installs, upgrades and removes beacon. The catalog contains
// upgrade rules for sextant. An old version of compass blocks a cluster upgrade.
const (
	beacon  = "beacon"
	sextant = "sextant"
	compass = "compass"
)

// ClusterVersion is the cluster's OpenShift version at the start of the story. compass 1.0.0 supports no later minor version.
const ClusterVersion = "4.21.0"

func beacons(versions ...string) []samples.Operator {
	var all []samples.Operator
	for _, version := range versions {
		operator := samples.Operator{Package: beacon, Version: version, NeverReady: version == "0.3.0" || version == "0.4.0",
			ExtraConfigMap: map[bool]string{true: "beacon-first-settings", false: "beacon-settings"}[version == "0.1.0"]}
		switch version { // a fixed version skips the version that never becomes ready, and replaces the one before that
		case "0.3.1":
			operator.Replaces, operator.Skips = "0.2.0", []string{"0.3.0"}
		case "0.4.1":
			operator.Replaces, operator.Skips = "0.3.1", []string{"0.4.0"}
		}
		all = append(all, operator)
	}
	return all
}

// FirstCatalog returns the operators in the catalogs at the start of the story.
func FirstCatalog() []samples.Operator {
	return append(beacons("0.1.0"),
		samples.Operator{Package: sextant, Version: "1.0.0"},
		samples.Operator{Package: compass, Version: "1.0.0", MaxOpenShiftVersion: `"4.21"`},
		samples.Operator{Package: compass, Version: "1.1.0", MaxOpenShiftVersion: `"4.23"`})
}

const (
	short = 60 * time.Second
	long  = 120 * time.Second
)

// Samples returns the steps of the sample operators' story, in order. Each step needs the steps before it.
func Samples() []Step {
	return []Step{
		idle(), offered(),
		install(), repairDeleted(), repairEdited(), upgrade(),
		badVersion(), held(), replaced(),
		rolledBack(), pastFailure(),
		guarded(), hopByHop(), awaiting(), approved(),
		blocked(), unblocked(), clusterMoves(),
		removal(),
	}
}

func idle() Step {
	return Step{
		Title: "the manager runs as its own ServiceAccount; the ClusterOperator is Available and permits cluster upgrades",
		See:   "kubectl get co " + ClusterOperatorName, Within: short,
		Seen: func(ctx context.Context, admin *Admin) error {
			_, available := admin.ClusterOperatorHas(ctx, configv1.OperatorAvailable, configv1.ConditionTrue)
			_, upgradeable := admin.ClusterOperatorHas(ctx, configv1.OperatorUpgradeable, configv1.ConditionTrue)
			return errors.Join(available, upgradeable)
		},
	}
}

func offered() Step {
	return Step{
		Title: "the admin searches the catalogs before anything is installed",
		See:   "kubectl platform search", Within: short,
		Seen: func(ctx context.Context, admin *Admin) error {
			operators, err := admin.Platform.PlatformV1alpha1().PlatformOperators().List(ctx, metav1.ListOptions{})
			if err == nil && len(operators.Items) > 0 {
				err = fmt.Errorf("there are %d PlatformOperators already", len(operators.Items))
			}
			return err
		},
	}
}

func install() Step {
	return Step{
		Title: "beacon 0.1.0 is installed from the catalog and healthy",
		See:   "kubectl platform status", Within: long,
		Act: func(ctx context.Context, admin *Admin) error { return admin.Create(ctx, beacon, "") },
		Seen: func(ctx context.Context, admin *Admin) error {
			return errors.Join(admin.Installed(ctx, beacon, "0.1.0"), deploymentAvailable(ctx, admin))
		},
	}
}

func repairDeleted() Step {
	return Step{
		Title: "its Service was deleted by hand, and is back",
		See:   "kubectl get service -n beacon beacon-metrics", Within: short,
		Act: func(ctx context.Context, admin *Admin) error {
			return admin.Kubernetes.CoreV1().Services(beacon).Delete(ctx, "beacon-metrics", metav1.DeleteOptions{})
		},
		Seen: func(ctx context.Context, admin *Admin) error {
			_, err := admin.Kubernetes.CoreV1().Services(beacon).Get(ctx, "beacon-metrics", metav1.GetOptions{})
			return err
		},
	}
}

func repairEdited() Step {
	return Step{
		Title: "its Deployment's image was edited by hand, and is what the bundle says again",
		See:   "kubectl get deployment -n beacon beacon -o wide", Within: short,
		Act: func(ctx context.Context, admin *Admin) error {
			patch := []byte(`{"spec":{"template":{"spec":{"containers":[{"name":"manager","image":"samples.invalid/intruder:1"}]}}}}`)
			_, err := admin.Kubernetes.AppsV1().Deployments(beacon).Patch(ctx, beacon, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
			return err
		},
		Seen: func(ctx context.Context, admin *Admin) error {
			deployment, err := admin.Kubernetes.AppsV1().Deployments(beacon).Get(ctx, beacon, metav1.GetOptions{})
			if err != nil {
				return err
			}
			if image := deployment.Spec.Template.Spec.Containers[0].Image; image != "samples.invalid/beacon:0.1.0" {
				return fmt.Errorf("the Deployment still has image %q", image)
			}
			return admin.Installed(ctx, beacon, "0.1.0")
		},
	}
}

func upgrade() Step {
	return Step{
		Title: "version 0.2.0 appeared in the catalog; beacon moved there, and what only 0.1.0 had is gone",
		See:   "kubectl get plop beacon -o jsonpath='{.status.installed}'", Within: long,
		Act: func(ctx context.Context, admin *Admin) error { return admin.Publish(ctx, beacons("0.1.0", "0.2.0")...) },
		Seen: func(ctx context.Context, admin *Admin) error {
			if err := admin.Installed(ctx, beacon, "0.2.0"); err != nil {
				return err
			}
			_, err := admin.Kubernetes.CoreV1().ConfigMaps(beacon).Get(ctx, "beacon-first-settings", metav1.GetOptions{})
			return mustBeGone(err, "ConfigMap beacon-first-settings")
		},
	}
}

func badVersion() Step {
	return Step{
		Title: "version 0.3.0 never gets ready: beacon says Unhealthy, 0.2.0 stays the installed one, the ClusterOperator stays Available",
		See:   "kubectl platform status beacon", Within: long,
		Act: func(ctx context.Context, admin *Admin) error {
			return admin.Publish(ctx, beacons("0.1.0", "0.2.0", "0.3.0")...)
		},
		Seen: func(ctx context.Context, admin *Admin) error {
			operator, err := admin.Operator(ctx, beacon)
			if err != nil {
				return err
			}
			if target := operator.Status.Target; target == nil || target.Version != "0.3.0" || operator.Status.Installed.Version != "0.2.0" {
				return errors.New("beacon is not on its way from 0.2.0 to 0.3.0")
			}
			_, available := admin.ClusterOperatorHas(ctx, configv1.OperatorAvailable, configv1.ConditionTrue)
			return errors.Join(available,
				admin.OperatorHas(ctx, beacon, platformv1alpha1.ConditionHealthy, metav1.ConditionFalse, platformv1alpha1.ReasonUnhealthy))
		},
	}
}

func held() Step {
	return Step{
		Title: "version 0.3.1 appeared, and is not installed while the version before is not healthy: beacon reports Blocked, the cause and the fix",
		See:   "kubectl platform explain beacon", Within: short,
		Act: func(ctx context.Context, admin *Admin) error {
			return admin.Publish(ctx, beacons("0.1.0", "0.2.0", "0.3.0", "0.3.1")...)
		},
		Seen: func(ctx context.Context, admin *Admin) error {
			return admin.OperatorHas(ctx, beacon, platformv1alpha1.ConditionProgressing, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked)
		},
	}
}

func replaced() Step {
	return Step{
		Title: "the admin excluded 0.3.0, and 0.3.1 replaced it: installed and healthy",
		See:   "kubectl get plop beacon", Within: long,
		Act:  func(ctx context.Context, admin *Admin) error { return admin.Limit(ctx, beacon, "!=0.3.0") },
		Seen: func(ctx context.Context, admin *Admin) error { return admin.Installed(ctx, beacon, "0.3.1") },
	}
}

func rolledBack() Step {
	return Step{
		Title: "the admin wants failures rolled back after 10 s; version 0.4.0 never got ready, and 0.3.1 runs again",
		See:   "kubectl get bd beacon -o jsonpath='{.status.revisions}'", Within: long,
		Act: func(ctx context.Context, admin *Admin) error {
			patch := []byte(`{"spec":{"install":{"onFailure":"Rollback","progressDeadlineSeconds":10}}}`)
			_, err := admin.Platform.PlatformV1alpha1().PlatformOperators().Patch(ctx, beacon, types.MergePatchType, patch, metav1.PatchOptions{})
			return errors.Join(err, admin.Publish(ctx, beacons("0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0")...))
		},
		Seen: func(ctx context.Context, admin *Admin) error {
			deployment, err := admin.Kubernetes.AppsV1().Deployments(beacon).Get(ctx, beacon, metav1.GetOptions{})
			if err != nil {
				return err
			}
			if image := deployment.Spec.Template.Spec.Containers[0].Image; image != "samples.invalid/beacon:0.3.1" {
				return fmt.Errorf("the Deployment has image %q", image)
			}
			return errors.Join(
				admin.OperatorHas(ctx, beacon, platformv1alpha1.ConditionProgressing, metav1.ConditionFalse, platformv1alpha1.ReasonDeadlineExceeded),
				admin.OperatorHas(ctx, beacon, platformv1alpha1.ConditionHealthy, metav1.ConditionTrue, platformv1alpha1.ReasonAsExpected))
		},
	}
}

func pastFailure() Step {
	return Step{
		Title: "version 0.4.1 appeared; 0.4.0 is not tried again, and beacon moved from 0.3.1 to 0.4.1",
		See:   "kubectl get plop beacon", Within: long,
		Act: func(ctx context.Context, admin *Admin) error {
			return admin.Publish(ctx, beacons("0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "0.4.1")...)
		},
		Seen: func(ctx context.Context, admin *Admin) error { return admin.Installed(ctx, beacon, "0.4.1") },
	}
}

func blocked() Step {
	return Step{
		Title: "compass 1.0.0 runs on OpenShift 4.21 at most: the upgrade to 4.22 is blocked, with the reason and the remedy",
		See:   "kubectl platform explain upgrade", Within: long,
		Act: func(ctx context.Context, admin *Admin) error { return admin.Create(ctx, compass, "1.0.x") },
		Seen: func(ctx context.Context, admin *Admin) error {
			if err := admin.Installed(ctx, compass, "1.0.0"); err != nil {
				return err
			}
			condition, err := admin.ClusterOperatorHas(ctx, configv1.OperatorUpgradeable, configv1.ConditionFalse)
			if err != nil {
				return err
			}
			for _, word := range []string{"compass", "4.22", "4.21", "1.1.0"} {
				if !strings.Contains(condition.Message, word) {
					return fmt.Errorf("the ClusterOperator's message does not name %q: %s", word, condition.Message)
				}
			}
			return nil
		},
	}
}

func unblocked() Step {
	return Step{
		Title: "the admin did what the message says; compass 1.1.0 is installed and the cluster may be upgraded",
		See:   "kubectl platform status", Within: long,
		Act: func(ctx context.Context, admin *Admin) error { return admin.Limit(ctx, compass, ">=1.1.0") },
		Seen: func(ctx context.Context, admin *Admin) error {
			_, err := admin.ClusterOperatorHas(ctx, configv1.OperatorUpgradeable, configv1.ConditionTrue)
			return errors.Join(err, admin.Installed(ctx, compass, "1.1.0"))
		},
	}
}

func clusterMoves() Step {
	return Step{
		Title: "the cluster moved to 4.22.0; the operators are as they were",
		See:   "kubectl get clusterversion,plop", Within: short,
		Act: func(ctx context.Context, admin *Admin) error {
			return admin.Environment.SetClusterVersion(ctx, "4.22.0")
		},
		Seen: func(ctx context.Context, admin *Admin) error {
			_, err := admin.ClusterOperatorHas(ctx, configv1.OperatorUpgradeable, configv1.ConditionTrue)
			return errors.Join(err, admin.Installed(ctx, compass, "1.1.0"), admin.Installed(ctx, beacon, "0.4.1"))
		},
	}
}

func removal() Step {
	return Step{
		Title: "beacon was deleted; everything of it is gone, its namespace if the manager created it, and its CRD was kept with the users' data",
		See:   "kubectl get crd beacons.samples.platform.openshift.io -o jsonpath='{.metadata.annotations}'", Within: long,
		Act: func(ctx context.Context, admin *Admin) error {
			return admin.Platform.PlatformV1alpha1().PlatformOperators().Delete(ctx, beacon, metav1.DeleteOptions{})
		},
		Seen: func(ctx context.Context, admin *Admin) error {
			_, err := admin.Operator(ctx, beacon)
			if err := mustBeGone(err, "PlatformOperator beacon"); err != nil {
				return err
			}
			_, err = admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, beacon, metav1.GetOptions{})
			if err := mustBeGone(err, "BundleDeployment beacon"); err != nil {
				return err
			}
			_, err = admin.Kubernetes.CoreV1().Namespaces().Get(ctx, beacon, metav1.GetOptions{})
			if admin.Scoped { // the admin created the namespace
				if err != nil {
					return err
				}
			} else if err := mustBeGone(err, "Namespace beacon"); err != nil {
				return err
			}
			crds := admin.Dynamic.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
			crd, err := crds.Get(ctx, "beacons.samples.platform.openshift.io", metav1.GetOptions{})
			if err != nil {
				return err
			}
			if crd.GetAnnotations()[platformv1alpha1.AnnotationOrphanedFrom] != "package/"+beacon {
				return fmt.Errorf("the CRD does not say %s: package/beacon", platformv1alpha1.AnnotationOrphanedFrom)
			}
			return nil
		},
	}
}

func deploymentAvailable(ctx context.Context, admin *Admin) error {
	deployment, err := admin.Kubernetes.AppsV1().Deployments(beacon).Get(ctx, beacon, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if deployment.Status.AvailableReplicas != 1 {
		return fmt.Errorf("the Deployment has %d of 1 replicas available", deployment.Status.AvailableReplicas)
	}
	return nil
}

func mustBeGone(err error, what string) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("%s is still there", what)
}
