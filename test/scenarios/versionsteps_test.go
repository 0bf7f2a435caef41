package scenarios

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/scenario/harness"
	"github.com/openshift/platform-operators/pkg/scenario/story"
)

// versionSteps checks each change of the installed version during a story by the versionModel.
type versionSteps struct {
	offers []offer
	// uid and version are those of the PlatformOperator after the step before. version is empty if nothing was installed.
	uid     types.UID
	version string
	// models are the models after the steps since the version changed. One of them must permit the next version, because an upgrade may
	// begin several steps before it is complete.
	models []versionModel
	// wasInstalled and wasUpgraded report whether the steps of the story, without those that finish it, have changed the installed version
	// from none, and from another one. isFinished is true after the steps of the story.
	wasInstalled, wasUpgraded, isFinished bool
}

// afterStep implements generate.Oracle.AfterStep. The step is the zero Step if the manager is at rest at the end of a story.
func (v *versionSteps) afterStep(ctx context.Context, system *harness.System, step story.Step) error {
	v.isFinished = v.isFinished || step.Position == (story.Position{}) // the steps that finish a story come from no file
	if step.Verb == "publish" {
		var err error
		if v.offers, err = offersOf(&story.Story{Steps: []story.Step{step}}, "memo"); err != nil {
			return err
		}
	}
	model, err := newVersionModel(ctx, v.offers, system)
	if err != nil {
		return err
	}
	if model.operator == nil || model.operator.UID != v.uid {
		v.version, v.models = "", nil
	}
	if model.operator == nil {
		return nil
	}
	v.uid, v.models = model.operator.UID, append(v.models, model)
	installed := model.operator.Status.Installed
	if installed == nil || installed.Version == v.version {
		return nil
	}
	if !slices.ContainsFunc(v.models, func(m versionModel) bool { return m.permitsStep(v.version, installed.Version) }) {
		return fmt.Errorf("PlatformOperator %q was moved from version %q to %q, which no spec and no catalog since the last step permits",
			model.operator.Name, v.version, installed.Version)
	}
	if !v.isFinished {
		v.wasInstalled = v.wasInstalled || v.version == ""
		v.wasUpgraded = v.wasUpgraded || v.version != ""
	}
	v.version, v.models = installed.Version, []versionModel{model}
	return nil
}

// permitsStep reports whether the rules permit the step from one version to another. From an empty version, it is the first installation,
// which needs no approval, but follows one. A step may be the first part of a way to a later version. From a version that the catalog does
// not have, any way is permitted. A paused operator begins no step.
func (m versionModel) permitsStep(from, to string) bool {
	index := func(version string) int {
		return slices.IndexFunc(m.offers, func(each offer) bool { return each.Version == version })
	}
	first, last := index(from), index(to)
	if last < 0 || m.operator.Spec.Paused {
		return false
	}
	if len(m.operator.Spec.CompatibilityOverrides) > 0 {
		m.offers = slices.Clone(m.offers)
		for i := range m.offers {
			m.offers[i].MaxOpenShiftVersion = "" // an override may permit a bundle for another version of OpenShift
		}
	}
	if from != "" && first < 0 {
		return m.isAllowed(m.offers[last])
	}
	if from == "" && !m.mayBeFirst(to) {
		return false
	}
	upgrades := m.operator.Spec.Upgrades
	if from == "" || upgrades != nil && upgrades.Edges == platformv1alpha1.EdgesSelfCertified {
		return m.isAllowed(m.offers[last])
	}
	approved, isManual := m.approved()
	if first >= last || !m.hasPath(first, last, m.isAllowed) { // the manager can make several steps before the cluster has settled
		return false
	}
	for target := last; target < len(m.offers); target++ {
		isApproved := !isManual || m.offers[target].Version == approved
		if isApproved && m.hasPath(last, target, m.isAllowed) {
			return true
		}
	}
	return false
}
