package explain

import (
	"fmt"
	"strings"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/cli/operators"
	"github.com/openshift/platform-operators/pkg/cli/remedy"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// linksOf returns the notable links of a BundleDeployment. The link for the condition Healthy has the first unhealthy objects as
// properties.
func (e explainer) linksOf(deployment *corev1alpha2.BundleDeployment) []Link {
	var links []Link
	for _, condition := range deployment.Status.Conditions {
		link := newLink(KindBundleDeployment, deployment.Name, condition, e.tools)
		link.Outdated = operators.IsConditionOutdated(condition, deployment)
		if condition.Type == corev1alpha2.ConditionHealthy {
			for _, object := range deployment.Status.Unready {
				link.add(link.Object, "status.unready", object)
			}
		}
		if link.isNotable() {
			links = append(links, link)
		}
	}
	return links
}

// chainOfDeployment returns the chain for a BundleDeployment without a PlatformOperator.
func (e explainer) chainOfDeployment(deployment *corev1alpha2.BundleDeployment) Chain {
	chain := Chain{Deployment: deployment.Name, Blocked: operators.IsDeploymentBlocked(deployment.Status.Conditions),
		Outdated: operators.IsDeploymentOutdated(deployment), Links: []Link{}}
	if bundle := deployment.Status.Bundle; bundle != nil {
		chain.Version = bundle.Version
	}
	bundles := resolve.BundlesOf(deployment, e.version, e.now)
	// An error means that the version of the cluster is not known. Then it is not known either whether the BundleDeployment blocks the
	// upgrade.
	if verdict, err := compat.Evaluate(e.version, bundles, e.now); err == nil && len(verdict.Blockers) > 0 {
		chain.BlocksCluster = true
		chain.Links = append(chain.Links, e.limitOf(deployment, bundles, verdict.Blockers))
	}
	for _, link := range e.linksOf(deployment) {
		if link.Remedy != nil && link.Remedy.Command == e.tools.Status(deployment.Name) {
			link.Remedy.Command = e.tools.Show("bundledeployment", deployment.Name) // the command status does not accept a BundleDeployment
		}
		chain.Links = append(chain.Links, link)
	}
	omitRepeated(chain.Links)
	return chain
}

// limitOf returns the link for a BundleDeployment whose bundles block the upgrade of the cluster. A BundleDeployment has no condition for
// that, so the link uses the reasons of a PlatformOperator's condition Upgradeable.
func (e explainer) limitOf(deployment *corev1alpha2.BundleDeployment, bundles []compat.Operator, blockers []compat.Blocker) Link {
	link := Link{Object: string(KindBundleDeployment) + "/" + deployment.Name, Reason: platformv1alpha1.ReasonIncompatibleOperator}
	for _, blocker := range blockers {
		if blocker.Fault != nil {
			link.Reason, link.Message = platformv1alpha1.ReasonCompatibilityUnreadable, blocker.Fault.Error()
		}
	}
	explanation, _ := Explain(Reason{KindPlatformOperator, platformv1alpha1.ConditionUpgradeable, link.Reason})
	link.Effect, link.Explanation = explanation.Effect, explanation.Text
	for _, bundle := range bundles {
		link.add(strings.TrimSpace("version "+bundle.Version), "olm.maxOpenShiftVersion", strings.Join(bundle.Max, ", "))
	}
	if e.next != nil {
		link.Remedy = &remedy.Remedy{
			Text: fmt.Sprintf("Set spec.source to a version that allows OpenShift %s. Or acknowledge the risk of this bundle, for a limited "+
				"time.", *e.next),
			Command: compat.OverrideCommand(e.tools.Client, bundles[0], *e.next, e.now),
		}
	}
	return link
}
