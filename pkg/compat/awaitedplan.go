package compat

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/ocplatform"
	"github.com/openshift/platform-operators/pkg/shell"
)

// AwaitedPlan is the plan of a revision that is not applied before an approver approves the plan.
type AwaitedPlan struct {
	// Digest identifies the plan. spec.approval.planDigest of the BundleDeployment approves it.
	Digest string
	// Version is the version of the bundle of the revision; empty if the bundle names none, or if it is unknown.
	Version string
	// Max holds the raw values of the bundle's olm.maxOpenShiftVersion, see ReadMax. IsMaxKnown is false if they are unknown.
	Max        []string
	IsMaxKnown bool
}

// AwaitedPlanOf returns the plan for whose approval a BundleDeployment waits. It returns nil if there is none, if the BundleDeployment is
// nil or is being deleted, or if its status refers to an earlier spec.
func AwaitedPlanOf(deployment *corev1alpha2.BundleDeployment) *AwaitedPlan {
	if deployment == nil || deployment.DeletionTimestamp != nil || deployment.Status.ObservedGeneration < deployment.Generation {
		return nil
	}
	plan := deployment.Status.Plan
	progressing := meta.FindStatusCondition(deployment.Status.Conditions, corev1alpha2.ConditionProgressing)
	if plan == nil || plan.Digest == "" || progressing == nil || progressing.Reason != corev1alpha2.ReasonAwaitingApproval {
		return nil
	}
	awaited := &AwaitedPlan{Digest: plan.Digest}
	revisions := deployment.Status.Revisions
	if i := slices.IndexFunc(revisions, func(each corev1alpha2.Revision) bool { return each.Number == plan.Revision }); i >= 0 {
		awaited.Version, awaited.Max, awaited.IsMaxKnown = revisions[i].Version, revisions[i].MaxOpenShiftVersions, true
	}
	return awaited
}

// permits reports whether the bundle of the plan is known to permit a minor version.
func (p *AwaitedPlan) permits(next Minor) bool {
	if p == nil || !p.IsMaxKnown {
		return false
	}
	most, err := ReadMax(p.Max)
	return err == nil && (most == nil || most.Permits(next))
}

// remedy returns the clause that says which plan to approve, and how. name is the name of the BundleDeployment. The clause names next if it
// is not nil.
func (p *AwaitedPlan) remedy(name string, next *Minor) string {
	text := "approve the plan of its newest revision"
	if p.Version != "" {
		text = "approve the plan of version " + cut(p.Version, maxVersion)
	}
	if next != nil {
		text += fmt.Sprintf(" (allows %s)", *next)
	}
	if cut(name, maxName) == name { // else the command would be too long, or incomplete
		text += ", " + ocplatform.Approve(name).WithPlugin() + ", or"
	}
	return text + " as the Approved condition of its BundleDeployment says"
}

// command returns the command that approves the plan in the name of the user who runs it. The API server rejects any other name.
func (p *AwaitedPlan) command(name string) string {
	const user = `"$(` + clientInMessages + ` whoami)"`
	return fmt.Sprintf("%s patch bundledeployment %s --type=merge -p %s%s%s", clientInMessages, shell.Quote(name),
		shell.Quote(fmt.Sprintf(`{"spec":{"approval":{"planDigest":%q,"approvedBy":"`, p.Digest)), user, shell.Quote(`"}}}`))
}
