package status

import (
	"strings"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1 "github.com/openshift/api/operator/v1"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/cli/cluster"
	"github.com/openshift/platform-operators/pkg/cli/operators"
	"github.com/openshift/platform-operators/pkg/cli/printer"
	"github.com/openshift/platform-operators/pkg/compat"
)

// conditionUpgradeable is the condition of the PlatformOperatorManager that determines the ClusterOperator's Upgradeable.
const conditionUpgradeable = "InstalledOperatorsUpgradeable"

// Decision says whether the installed operators permit the upgrade of the cluster to its next minor version.
type Decision string

// The decisions.
const (
	// Permitted means that the operators permit the upgrade.
	Permitted Decision = "Permitted"
	// Blocked means that at least one operator blocks the upgrade, or that the manager cannot evaluate them.
	Blocked Decision = "Blocked"
	// Unknown means that no object reports a decision, or that the condition which holds it is Unknown.
	Unknown Decision = "Unknown"
)

// Condition is one condition of the ClusterOperator, the PlatformOperatorManager or a PlatformOperator.
type Condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// Outdated means that the condition is older than the last change to the spec of its object.
	Outdated bool `json:"outdated,omitempty"`
}

// Cluster is the verdict on whether the platform operators permit the upgrade of the cluster, and the conditions that are reported with it.
type Cluster struct {
	// Version is the version of OpenShift; empty if the cluster is not OpenShift.
	Version string `json:"version,omitempty"`
	// NextMinor is the minor version that Decision is about; empty if it is unknown.
	NextMinor string   `json:"nextMinor,omitempty"`
	Decision  Decision `json:"decision"`
	// Reason and Message are those of the condition that Source reports.
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// Source is the object that has the decision and the conditions; empty if there is none.
	Source string `json:"source,omitempty"`
	// Conditions are Available, Progressing and Degraded of the ClusterOperator, or, without a ClusterOperator, the conditions that the
	// manager reports.
	Conditions []Condition `json:"conditions,omitempty"`
	// ManagerVersion is the version of the manager that the ClusterOperator reports; empty if it is unknown.
	ManagerVersion string `json:"managerVersion,omitempty"`
	// StoppedManager means that the manager is not running: it has not renewed its Lease since ManagerRenewed. The report then shows what
	// the manager reported last. StoppedManager is false if the Lease cannot be read.
	StoppedManager bool      `json:"managerStopped,omitempty"`
	ManagerRenewed time.Time `json:"managerRenewTime,omitzero"`

	// isFromClusterOperator means that Conditions are those of the ClusterOperator.
	isFromClusterOperator bool
	// condition is the type of the condition in Source that holds the decision, which can be Unknown; empty if there is none.
	condition string
}

// newCluster returns the verdict. Each of the objects may be nil.
func newCluster(version *configv1.ClusterVersion, operator *configv1.ClusterOperator,
	manager *operatorv1alpha1.PlatformOperatorManager) Cluster {
	verdict := Cluster{Decision: Unknown}
	if version != nil {
		verdict.Version = version.Status.Desired.Version
		if minor, err := compat.ParseClusterVersion(verdict.Version); err == nil {
			verdict.NextMinor = minor.Next().String()
		}
	}
	if manager != nil {
		verdict.addManager(manager)
	}
	if operator != nil {
		verdict.addOperator(operator)
	}
	return verdict
}

// addManager adds what the PlatformOperatorManager reports. On Kubernetes without OpenShift it is the only object that reports anything.
func (c *Cluster) addManager(manager *operatorv1alpha1.PlatformOperatorManager) {
	for _, condition := range manager.Status.Conditions {
		switch {
		case condition.Type == conditionUpgradeable:
			c.Source, c.condition = "PlatformOperatorManager/"+manager.Name, condition.Type
			c.Decision, c.Reason, c.Message = decisionOf(string(condition.Status)), condition.Reason, condition.Message
		case isNotable(condition):
			c.Conditions = append(c.Conditions, newManagerCondition(condition))
		}
	}
}

func newManagerCondition(of operatorv1.OperatorCondition) Condition {
	return Condition{Type: of.Type, Status: string(of.Status), Reason: of.Reason, Message: of.Message}
}

// isNotable reports whether a condition of the PlatformOperatorManager is part of the report: each Available condition, and each
// Progressing or Degraded condition that is True.
func isNotable(condition operatorv1.OperatorCondition) bool {
	if strings.HasSuffix(condition.Type, operatorv1.OperatorStatusTypeAvailable) {
		return true
	}
	isTrue := condition.Status == operatorv1.ConditionTrue
	return isTrue && (strings.HasSuffix(condition.Type, operatorv1.OperatorStatusTypeProgressing) ||
		strings.HasSuffix(condition.Type, operatorv1.OperatorStatusTypeDegraded))
}

// addOperator adds what the ClusterOperator reports. The cluster-version operator and oc adm upgrade read the same conditions. If the
// PlatformOperatorManager has the same decision, its message is kept, because the lines of that message do not begin with names of
// conditions.
func (c *Cluster) addOperator(operator *configv1.ClusterOperator) {
	c.isFromClusterOperator = true
	c.Conditions, c.Source = nil, "ClusterOperator/"+cluster.ClusterOperatorName
	for _, condition := range operator.Status.Conditions {
		switch condition.Type {
		case configv1.OperatorUpgradeable:
			decision := decisionOf(string(condition.Status))
			if decision != c.Decision || c.Message == "" {
				c.Message = condition.Message
			}
			c.Decision, c.Reason, c.condition = decision, condition.Reason, string(condition.Type)
		case configv1.OperatorAvailable, configv1.OperatorProgressing, configv1.OperatorDegraded:
			c.Conditions = append(c.Conditions, Condition{
				Type: string(condition.Type), Status: string(condition.Status), Reason: condition.Reason, Message: condition.Message,
			})
		}
	}
	for _, version := range operator.Status.Versions {
		if version.Name == "operator" {
			c.ManagerVersion = version.Version
		}
	}
}

// addBlockers sets the decision to Blocked if operators block the upgrade and no object reports a decision, for example because the user
// may not read it. Otherwise, the report would hide that the upgrade is blocked.
func (c *Cluster) addBlockers(all []operators.Operator) {
	var names []string
	for _, o := range all {
		if operators.Is(o.BlocksCluster) {
			names = append(names, o.Name)
		}
	}
	if c.Decision != Unknown || len(names) == 0 {
		return
	}
	c.Decision, c.Reason, c.Source = Blocked, platformv1alpha1.ReasonIncompatibleOperator, "PlatformOperators"
	c.Message = "Upgradeable is False on: " + printer.First(maxListed, names)
}

func decisionOf(status string) Decision {
	switch status {
	case string(configv1.ConditionTrue):
		return Permitted
	case string(configv1.ConditionFalse):
		return Blocked
	}
	return Unknown
}
