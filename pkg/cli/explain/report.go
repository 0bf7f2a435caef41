package explain

import (
	"strings"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	"github.com/openshift/platform-operators/pkg/cli/cluster"
	"github.com/openshift/platform-operators/pkg/cli/operators"
	"github.com/openshift/platform-operators/pkg/cli/printer"
	"github.com/openshift/platform-operators/pkg/cli/remedy"
	"github.com/openshift/platform-operators/pkg/cli/status"
	"github.com/openshift/platform-operators/pkg/compat"
)

// Report is the result of the command.
type Report struct {
	printer.Type `json:",inline"`
	// Operator is the PlatformOperator that the command explains; empty for the upgrade of the cluster.
	Operator string `json:"operator,omitempty"`
	// Deployment is the BundleDeployment without a PlatformOperator that the command explains; empty if the command explains something
	// else.
	Deployment string `json:"bundleDeployment,omitempty"`
	// Cluster is the verdict about the upgrade of the cluster. Links are the notable conditions of the ClusterOperator and of the
	// PlatformOperatorManager.
	Cluster status.Cluster `json:"cluster"`
	Links   []Link         `json:"links"`
	// Chains holds the chain of the object that the command explains. For the upgrade of the cluster, it holds the chain of each operator
	// and each BundleDeployment that blocks the upgrade.
	Chains  []Chain `json:"chains"`
	Blocked bool    `json:"blocked"`
	// Unread are sentences about what could not be read.
	Unread []string `json:"unread,omitempty"`

	// undecided is the error of the command if it cannot be decided whether something is blocked; nil if it can.
	undecided error
}

// Context is what a report depends on besides API objects.
type Context struct {
	Tools remedy.Tools
	Now   time.Time
}

// NewUpgradeReport returns the report about the upgrade of the cluster to its next minor version.
func NewUpgradeReport(objects status.Objects, in Context) Report {
	report, explainer := newReport(objects, in)
	deployments := operators.Assign(objects.Operators, objects.Deployments)
	for i := range objects.Operators {
		operator := &objects.Operators[i]
		if chain := explainer.chainOf(operator, deployments.Of(operator)); chain.BlocksCluster {
			report.Chains = append(report.Chains, chain)
		}
	}
	for _, deployment := range deployments.Unowned {
		if chain := explainer.chainOfDeployment(deployment); chain.BlocksCluster {
			report.Chains = append(report.Chains, chain)
		}
	}
	report.Blocked = report.Cluster.Decision == status.Blocked
	if report.Cluster.Decision == status.Unknown && len(report.Unread) > 0 {
		report.undecided = status.ErrUndecided
	}
	return report
}

// NewOperatorReport returns the report about the PlatformOperator in objects, which must be the only one.
func NewOperatorReport(objects status.Objects, in Context) Report {
	report, explainer := newReport(objects, in)
	deployments := operators.Assign(objects.Operators, objects.Deployments)
	for i := range objects.Operators {
		operator := &objects.Operators[i]
		chain := explainer.chainOf(operator, deployments.Of(operator))
		report.Operator, report.Chains = operator.Name, append(report.Chains, chain)
		if objects.UnreadDeployments {
			report.undecided = status.ErrOperatorUndecided
		}
		report.Blocked = chain.BlocksCluster || chain.Blocked
		if !chain.BlocksCluster {
			report.Links = []Link{} // the verdict has another cause
		}
	}
	return report
}

// NewDeploymentReport returns the report about the BundleDeployment in objects, which must be the only one and has no PlatformOperator.
func NewDeploymentReport(objects status.Objects, in Context) Report {
	report, explainer := newReport(objects, in)
	for i := range objects.Deployments {
		chain := explainer.chainOfDeployment(&objects.Deployments[i])
		report.Deployment, report.Chains = chain.Deployment, append(report.Chains, chain)
		report.Blocked = chain.BlocksCluster || chain.Blocked
		if !chain.BlocksCluster {
			report.Links = []Link{} // the verdict has another cause
		}
	}
	return report
}

func newReport(objects status.Objects, in Context) (Report, explainer) {
	objects.Now = in.Now
	verdict := status.NewReport(objects)
	report := Report{
		Type: printer.TypeOf("Explanation"), Cluster: verdict.Cluster, Links: []Link{}, Chains: []Chain{}, Unread: objects.Unread,
	}
	e := explainer{tools: in.Tools, version: verdict.Cluster.Version, now: in.Now}
	if next, err := compat.ParseClusterVersion(verdict.Cluster.NextMinor + ".0"); err == nil {
		e.next = &next
	}
	if objects.ClusterOperator != nil {
		report.Links = append(report.Links, e.clusterOperator(objects.ClusterOperator)...)
		if len(report.Links) == 1 { // the lines of this message do not begin with names of conditions
			report.Links[0].Message = verdict.Cluster.Message
		}
	}
	if objects.Manager != nil {
		report.Links = append(report.Links, e.manager(objects.Manager, objects.ClusterOperator == nil)...)
	}
	return report, e
}

// clusterOperator returns the notable links for the condition Upgradeable of the ClusterOperator. library-go joins its reason from those of
// the manager's conditions, as in "ManagerNameA_ReasonA::ManagerNameB_ReasonB". Each part of the reason becomes a link.
func (e explainer) clusterOperator(operator *configv1.ClusterOperator) []Link {
	var links []Link
	for _, condition := range operator.Status.Conditions {
		if condition.Type != configv1.OperatorUpgradeable {
			continue
		}
		if condition.Status == configv1.ConditionUnknown {
			return append(links, e.unknownLink("ClusterOperator/"+operator.Name, metav1.Condition{
				Type: string(condition.Type), Status: metav1.ConditionUnknown, Reason: condition.Reason, Message: condition.Message,
			}))
		}
		for _, joined := range strings.Split(condition.Reason, "::") {
			name, reason, hasName := strings.Cut(joined, "_")
			if !hasName {
				name, reason = strings.TrimSuffix(conditionUpgradeable, string(configv1.OperatorUpgradeable)), joined
			}
			link := newLink(KindManager, cluster.ClusterOperatorName, metav1.Condition{
				Type: name + string(configv1.OperatorUpgradeable), Status: metav1.ConditionStatus(condition.Status), Reason: reason,
				Message: condition.Message,
			}, e.tools)
			link.Object, link.Condition, link.Reason = "ClusterOperator/"+operator.Name, string(condition.Type), joined
			if link.isNotable() {
				links = append(links, link)
			}
		}
	}
	return links
}

// unknownLink returns the link for a verdict whose condition is Unknown. It does not explain the reason, which only says which controller
// has not reported.
func (e explainer) unknownLink(object string, condition metav1.Condition) Link {
	return Link{
		Object: object, Condition: condition.Type, Status: string(condition.Status), Reason: condition.Reason, Message: condition.Message,
		Effect: unknownVerdict.Effect, Explanation: unknownVerdict.Text, Remedy: unknownVerdict.remedyFor(e.tools, ""),
	}
}

// manager returns the links of the PlatformOperatorManager that are warnings or block something. Set withUpgradeable only if there is no
// ClusterOperator: it includes the condition InstalledOperatorsUpgradeable, which the ClusterOperator otherwise reports.
func (e explainer) manager(manager *operatorv1alpha1.PlatformOperatorManager, withUpgradeable bool) []Link {
	var links []Link
	for _, condition := range manager.Status.Conditions {
		if condition.Type == conditionUpgradeable && !withUpgradeable {
			continue
		}
		shown := metav1.Condition{
			Type: condition.Type, Status: metav1.ConditionStatus(condition.Status), Reason: condition.Reason, Message: condition.Message,
		}
		if condition.Type == conditionUpgradeable && condition.Status == operatorv1.ConditionUnknown {
			links = append(links, e.unknownLink(string(KindManager)+"/"+manager.Name, shown))
			continue
		}
		link := newLink(KindManager, manager.Name, shown, e.tools)
		if link.Effect == Blocking || link.Effect == Warning {
			links = append(links, link)
		}
	}
	return links
}
