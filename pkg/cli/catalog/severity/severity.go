// Package severity defines how much a finding about a catalog matters. pkg/upgrade defines the findings. pkg/cli/catalog/lint prints them,
// and pkg/cli/catalog/simulate fails for those of severity Error, as lint does.
package severity

import "github.com/openshift/platform-operators/pkg/upgrade"

// Severity is how much a finding matters.
type Severity string

// The severities.
const (
	// Error means that the catalog is invalid: it has content that has no effect, or rules that no operator can meet.
	Error Severity = "Error"
	// Warning means that the catalog can be used, but that operators may be upgraded differently than its author expects.
	Warning Severity = "Warning"
	// Info means that the finding is not a problem.
	Info Severity = "Info"
)

// Of returns the severity of findings of a kind. Stranded versions, downgrades and entries whose bundle was pruned are warnings, because
// public catalogs contain them and are in use.
func Of(kind upgrade.FindingKind) Severity {
	switch kind {
	case upgrade.UnusableContent, upgrade.UnreadableVersion, upgrade.UnreadableSkipRange, upgrade.RulesUnreadable, upgrade.SeveralHeads,
		upgrade.ReplacesCycle, upgrade.EmptyStep, upgrade.StepWithoutLatest, upgrade.ClosingStep, upgrade.ContradictorySteps:
		return Error
	case upgrade.ForbiddenUpgrades:
		return Info
	}
	return Warning
}
