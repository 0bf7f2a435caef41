package scenarios

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/Masterminds/semver/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/scenario/story"
	"github.com/openshift/platform-operators/pkg/scenario/trial"
)

// naive searches versions of package memo as a reader of the documentation would, without the manager's code.
type naive struct {
	// offers are the bundles in the catalog. Each replaces the one before it.
	offers   []offer
	cluster  *semver.Version
	operator *platformv1alpha1.PlatformOperator
	// defaultApproval is that of the PlatformOperatorManager.
	defaultApproval platformv1alpha1.Approval
}

// judgeVersions returns an error if a PlatformOperator of an ended story has not the version that it should have.
func judgeVersions(ctx context.Context, played *story.Story, ended *trial.System) error {
	client, err := adminOf(ended)
	if err != nil {
		return err
	}
	version, err := versionOf(ctx, client)
	if err != nil {
		return err
	}
	n := naive{}
	if n.cluster, err = semver.NewVersion(version); err != nil {
		return err
	}
	if n.offers, err = offersOf(played, "memo"); err != nil {
		return err
	}
	manager := &operatorv1alpha1.PlatformOperatorManager{}
	live, err := client.Resource(operatorv1alpha1.SchemeGroupVersion.WithResource("platformoperatormanagers")).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range live.Items {
		if err := into(&live.Items[i], manager); err != nil {
			return err
		}
	}
	n.defaultApproval = platformv1alpha1.Approval(manager.Spec.DefaultApproval)
	operators, err := client.Resource(platformOperators).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range operators.Items {
		n.operator = &platformv1alpha1.PlatformOperator{}
		if err := into(&operators.Items[i], n.operator); err != nil {
			return err
		}
		if err := n.judge(); err != nil {
			return err
		}
	}
	return nil
}

func into(live *unstructured.Unstructured, object any) error {
	return runtime.DefaultUnstructuredConverter.FromUnstructured(live.Object, object)
}

// offersOf returns what the last step that published a catalog offers of a package.
func offersOf(played *story.Story, name string) (offers []offer, err error) {
	for _, step := range played.Steps {
		if step.Verb == "publish" {
			offers = nil
			if err := step.Arguments.Into(&offers); err != nil {
				return nil, err
			}
		}
	}
	return slices.DeleteFunc(offers, func(each offer) bool { return each.Package != name }), nil
}

// judge returns an error if the operator could be at a newer version than it is.
func (n naive) judge() error {
	status := n.operator.Status
	if n.operator.Spec.Paused || n.operator.DeletionTimestamp != nil || status.Installed == nil {
		return nil
	}
	from := slices.IndexFunc(n.offers, func(each offer) bool { return each.Version == status.Installed.Version })
	if from < 0 {
		return nil // without an entry in the catalog, nothing replaces the version
	}
	for next := from + 1; next < len(n.offers); next++ {
		if !n.isReachable(from, next) {
			continue
		}
		return fmt.Errorf("PlatformOperator %s is at version %s, but it should be at %s", n.operator.Name, status.Installed.Version, n.offers[next].Version)
	}
	return nil
}

// isReachable reports whether the operator must be upgraded from one bundle to a later one, through the bundles between them.
func (n naive) isReachable(from, to int) bool {
	if approved, isManual := n.approved(); isManual && n.offers[to].Version != approved {
		return false
	}
	for each := from + 1; each <= to; each++ {
		if !n.isPermitted(n.offers[each]) {
			return false
		}
	}
	return true
}

// approved returns whether upgrades need approval, and the approved version.
func (n naive) approved() (version string, isManual bool) {
	approval := n.defaultApproval
	if upgrades := n.operator.Spec.Upgrades; upgrades != nil {
		approval, version = cmp.Or(upgrades.Approval, approval), upgrades.ApprovedVersion
	}
	return version, approval == platformv1alpha1.ApprovalManual
}

// isPermitted reports whether nothing prevents the installation of a bundle.
func (n naive) isPermitted(each offer) bool {
	if each.NoBundle || each.NeverReady {
		return false
	}
	version, err := semver.NewVersion(each.Version)
	if err != nil {
		return false
	}
	if wanted := n.operator.Spec.Package.Version; wanted != "" {
		permitted, err := semver.NewConstraint(wanted)
		if err != nil || !permitted.Check(version) {
			return false
		}
	}
	if each.MaxOpenShiftVersion == "" {
		return true
	}
	last, err := semver.NewVersion(each.MaxOpenShiftVersion)
	return err == nil && n.cluster.Minor() <= last.Minor()
}
