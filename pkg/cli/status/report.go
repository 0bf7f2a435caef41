// Package status implements the command "status": it reports whether the cluster may be upgraded, and the state of the platform operators.
// Report is a pure function of API objects. The command reads them with a fixed number of requests, whatever the number of operators,
// except that long lists are read in pages.
package status

import (
	"errors"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	coordinationv1 "k8s.io/api/coordination/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/cli/exit"
	"github.com/openshift/platform-operators/pkg/cli/operators"
	"github.com/openshift/platform-operators/pkg/cli/printer"
)

// Objects holds the API objects that a report is based on.
type Objects struct {
	// Now is the time of the report. It decides whether the manager's Lease has expired.
	Now time.Time
	// ClusterVersion, ClusterOperator, Manager and the manager's Lease are nil if they do not exist or could not be read.
	ClusterVersion  *configv1.ClusterVersion
	ClusterOperator *configv1.ClusterOperator
	Manager         *operatorv1alpha1.PlatformOperatorManager
	Lease           *coordinationv1.Lease
	Operators       []platformv1alpha1.PlatformOperator
	Deployments     []corev1alpha2.BundleDeployment
	// Unread are sentences about what could not be read and is missing from the report.
	Unread []string
	// UnreadDeployments means that Deployments could not be read, so that it is not known whether one of them is blocked.
	UnreadDeployments bool
}

// Report is the result of the command.
type Report struct {
	printer.Type `json:",inline"`
	Cluster      Cluster              `json:"cluster"`
	Summary      Summary              `json:"summary"`
	Operators    []operators.Operator `json:"operators"`
	// OtherDeployments are the names of the BundleDeployments that no PlatformOperator owns. The report has nothing else about them. It is
	// empty if the command names an operator.
	OtherDeployments []string `json:"otherDeployments,omitempty"`
	// Detail has more about the operator that the command names; nil if it names none.
	Detail *Detail `json:"detail,omitempty"`
	// Unread are sentences about what could not be read.
	Unread []string `json:"unread,omitempty"`

	unreadDeployments bool
}

// Summary counts operators. An operator can be included in more than one of the counts.
type Summary struct {
	Total         int `json:"operatorCount"`
	Installed     int `json:"installedCount"`
	Healthy       int `json:"healthyCount"`
	Changing      int `json:"changingCount"`
	Blocked       int `json:"blockedCount"`
	Drifted       int `json:"driftedCount"`
	Waiting       int `json:"waitingCount"`
	Deprecated    int `json:"deprecatedCount"`
	Outdated      int `json:"outdatedCount"`
	BlocksCluster int `json:"blocksClusterCount"`
}

// NewReport returns the report about all operators.
func NewReport(objects Objects) Report {
	report := Report{
		Type:      printer.TypeOf("StatusReport"),
		Cluster:   newCluster(objects.ClusterVersion, objects.ClusterOperator, objects.Manager),
		Operators: make([]operators.Operator, 0, len(objects.Operators)),
		Unread:    objects.Unread,

		unreadDeployments: objects.UnreadDeployments,
	}
	deployments := operators.Assign(objects.Operators, objects.Deployments)
	for i := range objects.Operators {
		o := operators.Summarize(&objects.Operators[i], deployments.Of(&objects.Operators[i]))
		report.Operators = append(report.Operators, o)
		report.Summary.add(o)
	}
	for _, deployment := range deployments.Unowned {
		report.OtherDeployments = append(report.OtherDeployments, deployment.Name)
	}
	report.Cluster.addBlockers(report.Operators)
	report.Cluster.addLease(objects.Lease, objects.Now)
	return report
}

func (s *Summary) add(o operators.Operator) {
	s.Total++
	count(&s.Installed, o.Installed)
	count(&s.Healthy, o.Healthy)
	count(&s.Changing, o.State.IsChanging())
	count(&s.Blocked, o.Blocked)
	count(&s.Drifted, operators.Is(o.Drifted))
	count(&s.Waiting, o.Waiting)
	count(&s.Deprecated, o.Deprecated)
	count(&s.Outdated, o.Outdated)
	count(&s.BlocksCluster, operators.Is(o.BlocksCluster))
}

func count(number *int, counts bool) {
	if counts {
		*number++
	}
}

// Errors of a report that cannot say whether something is blocked, because an object that could not be read may change the answer.
var (
	// ErrUndecided is about the upgrade of the cluster.
	ErrUndecided = exit.With(exit.Failure, errors.New("it is not known whether the upgrade of the cluster is blocked, because not every "+
		"object could be read: correct what the warnings name"))
	// ErrOperatorUndecided is about one PlatformOperator.
	ErrOperatorUndecided = exit.With(exit.Failure, errors.New("it is not known whether the operator is blocked, because its "+
		"BundleDeployment could not be read: correct what the warnings name"))
)

// undecided returns the error for a report that cannot say whether something is blocked; nil if it can.
func (r Report) undecided() error {
	switch {
	case r.Detail != nil && r.unreadDeployments:
		return ErrOperatorUndecided
	case r.Detail == nil && r.Cluster.Decision == Unknown && len(r.Unread) > 0:
		return ErrUndecided
	}
	return nil
}

// IsBlocked reports whether the answer is that something is blocked: the upgrade of the cluster, or the operator that the command names.
// An operator is blocked if it blocks the cluster, or if somebody has to act before it is installed, upgraded or removed.
func (r Report) IsBlocked() bool {
	if r.Detail != nil {
		return r.Summary.BlocksCluster > 0 || r.Summary.Blocked > 0
	}
	return r.Cluster.Decision == Blocked
}
