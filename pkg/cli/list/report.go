// Package list implements the command "list": it prints the PlatformOperators in the cluster, one line each. Report is a pure function of
// the PlatformOperators; the command reads them in one request, or in one for each page of a long list.
package list

import (
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/cli/operators"
	"github.com/openshift/platform-operators/pkg/cli/printer"
)

// Report is the result of the command.
type Report struct {
	printer.Type `json:",inline"`
	Operators    []operators.Operator `json:"operators"`
}

// NewReport returns the report about PlatformOperators, in the given order.
func NewReport(all []platformv1alpha1.PlatformOperator) Report {
	report := Report{Type: printer.TypeOf("OperatorList"), Operators: make([]operators.Operator, 0, len(all))}
	for i := range all {
		report.Operators = append(report.Operators, operators.Summarize(&all[i], nil))
	}
	return report
}
