// Package updates implements the command "updates": it lists the versions above the installed one, with the path to each, what blocks it,
// and the command that permits it. The report is a pure function of the PlatformOperator. The status of the PlatformOperator lists the
// newest updates and has the number of all of them, so the command does not read catalogs.
package updates

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/cli/operators"
	"github.com/openshift/platform-operators/pkg/cli/printer"
	"github.com/openshift/platform-operators/pkg/cli/remedy"
)

// Report is the result of the command.
type Report struct {
	printer.Type `json:",inline"`
	Operator     string `json:"operator"`
	Package      string `json:"package"`
	// Installed is the installed version. Channel and Catalog are those that it was chosen from; empty if the status does not contain them.
	Installed string `json:"installedVersion,omitempty"`
	Channel   string `json:"channel,omitempty"`
	Catalog   string `json:"catalog,omitempty"`
	// Outdated means that the status is older than the last change to the spec.
	Outdated bool `json:"outdated,omitempty"`
	// CatalogUnavailable means that newer versions are not known, because no selected catalog that can be read has the package.
	CatalogUnavailable bool `json:"catalogUnavailable,omitempty"`
	// Total is the number of all updates. Updates holds only the newest ones, newest first.
	Total   int      `json:"updateCount"`
	Updates []Update `json:"updates"`
}

// Update is one version above the installed one.
type Update struct {
	Version  string   `json:"version"`
	Channels []string `json:"channels,omitempty"`
	// Path holds the versions from the first upgrade step to this version; empty if there is no path. PathIsCut means that the status
	// contains only the beginning of the path.
	Path      []string `json:"path,omitempty"`
	PathIsCut bool     `json:"pathIsCut,omitempty"`
	// Reason and Message say why the operator is not upgraded to the version now, and Remedy says what permits the upgrade; empty if
	// nothing blocks it.
	Reason  string         `json:"blockedReason,omitempty"`
	Message string         `json:"blockedMessage,omitempty"`
	Remedy  *remedy.Remedy `json:"remedy,omitempty"`
}

// NewReport returns the report about a PlatformOperator. Any field may be missing from a status that an older manager wrote.
func NewReport(operator *platformv1alpha1.PlatformOperator, tools remedy.Tools) Report {
	status := operator.Status
	report := Report{
		Type: printer.TypeOf("UpdateList"), Operator: operator.Name, Package: operator.Spec.Package.Name,
		Outdated: operators.IsOutdated(operator), CatalogUnavailable: isCatalogUnavailable(status.Conditions),
		// A manager that does not set availableUpdatesTotal lists all updates.
		Total:   max(int(status.AvailableUpdatesTotal), len(status.AvailableUpdates)),
		Updates: make([]Update, 0, len(status.AvailableUpdates)),
	}
	if installed := status.Installed; installed != nil {
		report.Installed, report.Channel, report.Catalog = installed.Version, installed.Channel, installed.Catalog
	}
	for _, update := range status.AvailableUpdates {
		report.Updates = append(report.Updates, Update{
			Version: update.Version, Channels: update.Channels, Path: update.Path, PathIsCut: isCut(update),
			Reason: string(update.BlockedReason), Message: update.BlockedMessage, Remedy: remedy.ForUpdate(tools, operator, update),
		})
	}
	return report
}

// isCatalogUnavailable reports whether no selected catalog that can be read has the package.
func isCatalogUnavailable(conditions []metav1.Condition) bool {
	deprecated := meta.FindStatusCondition(conditions, platformv1alpha1.ConditionDeprecated)
	return deprecated != nil && deprecated.Reason == platformv1alpha1.ReasonCatalogUnavailable
}

// isCut reports whether the status contains only the beginning of the path to an update.
func isCut(update platformv1alpha1.AvailableUpdate) bool {
	return len(update.Path) == platformv1alpha1.MaxPath && update.Path[len(update.Path)-1] != update.Version
}

// IsBlocked reports whether there are updates and all of those that the status lists are blocked.
func (r Report) IsBlocked() bool {
	return len(r.Updates) > 0 && !slices.ContainsFunc(r.Updates, func(u Update) bool { return u.Reason == "" })
}
