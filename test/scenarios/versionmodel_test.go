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
	"github.com/openshift/platform-operators/pkg/scenario/harness"
	"github.com/openshift/platform-operators/pkg/scenario/story"
)

// versionModel is a model of the documented upgrade rules for package memo. It uses none of the manager's code.
type versionModel struct {
	// offers are the bundles in the selected channels of the catalog, the oldest version first.
	offers []offer
	// cluster is the version of OpenShift.
	cluster  *semver.Version
	operator *platformv1alpha1.PlatformOperator
	// defaultApproval and defaultEdges are those of the PlatformOperatorManager's spec.
	defaultApproval platformv1alpha1.Approval
	defaultEdges    operatorv1alpha1.DefaultEdges
}

// checkVersions returns an error if the manager has not upgraded a PlatformOperator to a permitted version at the end of a story.
func checkVersions(ctx context.Context, played *story.Story, ended *harness.System) error {
	offers, err := offersOf(played, "memo")
	if err != nil {
		return err
	}
	model, err := newVersionModel(ctx, offers, ended)
	if err != nil || model.operator == nil {
		return err
	}
	return model.check()
}

// newVersionModel returns the model of a system with a catalog. Its operator is nil if there is no PlatformOperator.
func newVersionModel(ctx context.Context, offers []offer, system *harness.System) (m versionModel, err error) {
	m.offers = offers
	client, err := adminOf(system)
	if err != nil {
		return m, err
	}
	version, err := versionOf(ctx, client)
	if err != nil {
		return m, err
	}
	if m.cluster, err = semver.NewVersion(version); err != nil {
		return m, err
	}
	managers, err := client.Resource(operatorv1alpha1.SchemeGroupVersion.WithResource("platformoperatormanagers")).List(ctx, metav1.ListOptions{})
	if err != nil {
		return m, err
	}
	for i := range managers.Items {
		manager := &operatorv1alpha1.PlatformOperatorManager{}
		if err := into(&managers.Items[i], manager); err != nil {
			return m, err
		}
		m.defaultApproval, m.defaultEdges = manager.Spec.DefaultApproval, manager.Spec.DefaultEdges
	}
	operators, err := client.Resource(platformOperators).List(ctx, metav1.ListOptions{})
	if err != nil {
		return m, err
	}
	for i := range operators.Items {
		m.operator = &platformv1alpha1.PlatformOperator{}
		if err := into(&operators.Items[i], m.operator); err != nil {
			return m, err
		}
		m.offers = slices.DeleteFunc(slices.Clone(offers), func(each offer) bool { return len(m.selectedChannels(each)) == 0 })
	}
	return m, nil
}

func into(live *unstructured.Unstructured, object any) error {
	return runtime.DefaultUnstructuredConverter.FromUnstructured(live.Object, object)
}

// offersOf returns the bundles of a package in the catalog that was published last.
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

// check returns an error if the upgrade rules permit a newer version than the installed one, or if nothing is installed and they permit a
// version.
func (m versionModel) check() error {
	status := m.operator.Status
	if m.operator.Spec.Paused || m.operator.DeletionTimestamp != nil {
		return nil
	}
	if status.Installed == nil {
		// A first version is installed when its objects are applied, even if it is never ready.
		for _, newest := range slices.Backward(m.offers) {
			if !m.isAllowed(newest) || !m.mayBeFirst(newest.Version) {
				continue
			}
			if newest.NoBundle { // the manager waits for its image
				return nil
			}
			return fmt.Errorf("PlatformOperator %q has nothing installed, but must have installed version %s", m.operator.Name, newest.Version)
		}
		return nil
	}
	from := slices.IndexFunc(m.offers, func(each offer) bool { return each.Version == status.Installed.Version })
	if from < 0 {
		return nil // no bundle in the catalog replaces a version that the catalog does not have
	}
	for next := from + 1; next < len(m.offers); next++ {
		if !m.isReachable(from, next) {
			continue
		}
		return fmt.Errorf("PlatformOperator %q has version %s installed, but must have been upgraded to %s",
			m.operator.Name, status.Installed.Version, m.offers[next].Version)
	}
	return nil
}

// selectedChannels returns the channels of a bundle that the PlatformOperator selects.
func (m versionModel) selectedChannels(each offer) []string {
	selected, channels := m.operator.Spec.Package.Channels, each.Channels
	if len(selected) == 0 {
		selected = allChannels[:1]
	}
	if len(channels) == 0 {
		channels = allChannels[:1]
	}
	return slices.DeleteFunc(slices.Clone(channels), func(name string) bool { return !slices.Contains(selected, name) })
}

// hasEdge reports whether an upgrade may lead from one bundle to a later one in one step.
func (m versionModel) hasEdge(from, to int) bool {
	if from >= to {
		return false
	}
	if m.permitsAllEdges() {
		return true
	}
	before, after := m.offers[from], m.offers[to]
	if after.SkipRange != "" {
		skipped, err := semver.NewConstraint(after.SkipRange)
		if version := semver.MustParse(before.Version); err == nil && skipped.Check(version) {
			return true
		}
	}
	if slices.Contains(after.Skips, before.Version) {
		return true
	}
	if after.Replaces != "" {
		return after.Replaces == before.Version
	}
	return slices.ContainsFunc(m.selectedChannels(after), func(channel string) bool { return m.previousIn(channel, to) == from })
}

// permitsAllEdges reports whether an upgrade may lead to any later bundle. With the edges of semantic versioning it may, because all
// bundles have the same major version. Package memo has no upgrade rules of its own.
func (m versionModel) permitsAllEdges() bool {
	if upgrades := m.operator.Spec.Upgrades; upgrades != nil {
		switch upgrades.Edges {
		case platformv1alpha1.EdgesSelfCertified, platformv1alpha1.EdgesSemver:
			return true
		case platformv1alpha1.EdgesChannel:
			return false
		}
	}
	return m.defaultEdges == operatorv1alpha1.DefaultEdgesSemver || m.defaultEdges == operatorv1alpha1.DefaultEdgesBoth
}

// previousIn returns the index of the last bundle before another one in a channel, or -1.
func (m versionModel) previousIn(channel string, of int) int {
	for i := of - 1; i >= 0; i-- {
		if slices.Contains(m.selectedChannels(m.offers[i]), channel) {
			return i
		}
	}
	return -1
}

// isReachable reports whether the upgrade rules permit an upgrade from one bundle to a later one, through bundles that can be installed.
func (m versionModel) isReachable(from, to int) bool {
	approved, isManual := m.approved()
	return (!isManual || m.offers[to].Version == approved) && m.hasPath(from, to, m.isPermitted)
}

// hasPath reports whether edges lead from one bundle to a later one through bundles, including the last one, for which permits is true.
func (m versionModel) hasPath(from, to int, permits func(offer) bool) bool {
	if from == to {
		return true
	}
	for next := from + 1; next <= to; next++ {
		if permits(m.offers[next]) && m.hasEdge(from, next) && m.hasPath(next, to, permits) {
			return true
		}
	}
	return false
}

// approved returns whether upgrades need approval, and the approved version.
func (m versionModel) approved() (version string, isManual bool) {
	approval := m.defaultApproval
	if upgrades := m.operator.Spec.Upgrades; upgrades != nil {
		approval, version = cmp.Or(upgrades.Approval, approval), upgrades.ApprovedVersion
	}
	return version, approval == platformv1alpha1.ApprovalManual
}

// mayBeFirst reports whether a version may be installed first: any one, or with manual approval only the approved one if there is one.
func (m versionModel) mayBeFirst(version string) bool {
	approved, isManual := m.approved()
	return !isManual || approved == "" || version == approved
}

// isPermitted reports whether a bundle can be installed and no rule forbids it.
func (m versionModel) isPermitted(each offer) bool {
	return !each.NoBundle && !each.NeverReady && m.isAllowed(each)
}

// isAllowed reports whether no rule forbids a bundle.
func (m versionModel) isAllowed(each offer) bool {
	version, err := semver.NewVersion(each.Version)
	if err != nil {
		return false
	}
	if wanted := m.operator.Spec.Package.Version; wanted != "" {
		permitted, err := semver.NewConstraint(wanted)
		if err != nil || !permitted.Check(version) {
			return false
		}
	}
	if each.MaxOpenShiftVersion == "" {
		return true
	}
	last, err := semver.NewVersion(each.MaxOpenShiftVersion)
	return err == nil && m.cluster.Minor() <= last.Minor()
}
