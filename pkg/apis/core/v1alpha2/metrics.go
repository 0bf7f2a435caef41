package v1alpha2

// Metrics that the manager serves beside those of the libraries that it is made of. Each has the label
// MetricLabelDeployment.
const (
	// MetricDriftRepairs counts objects that were put back after somebody else had changed or deleted them.
	MetricDriftRepairs = "platform_operators_drift_repairs_total"
	// MetricRollouts counts revisions that ended their roll-out, by MetricLabelOutcome.
	MetricRollouts = "platform_operators_rollouts_total"
	// MetricLastRolloutDuration is how long the last revision that became active took, in seconds.
	MetricLastRolloutDuration = "platform_operators_last_rollout_duration_seconds"
	// MetricDrifted is 1 for each BundleDeployment of which something is left as others changed it, by MetricLabelReason.
	MetricDrifted = "platform_operators_drifted"
)

// Labels of metrics, and their values.
const (
	// MetricLabelDeployment is the name of a BundleDeployment.
	MetricLabelDeployment = "bundledeployment"
	// MetricLabelReason is the reason of a True Drifted condition: ReasonDriftReported or ReasonDriftContested.
	MetricLabelReason = "reason"
	// MetricLabelOutcome is MetricOutcomeSucceeded or MetricOutcomeOverdue.
	MetricLabelOutcome = "outcome"
	// MetricOutcomeSucceeded: the revision became active.
	MetricOutcomeSucceeded = "succeeded"
	// MetricOutcomeOverdue: the revision missed its deadline.
	MetricOutcomeOverdue = "deadline_exceeded"
)
