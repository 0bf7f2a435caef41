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
)

// Labels of metrics, and their values.
const (
	// MetricLabelDeployment is the name of a BundleDeployment.
	MetricLabelDeployment = "bundledeployment"
	// MetricLabelOutcome is MetricOutcomeSucceeded or MetricOutcomeOverdue.
	MetricLabelOutcome = "outcome"
	// MetricOutcomeSucceeded: the revision became active.
	MetricOutcomeSucceeded = "succeeded"
	// MetricOutcomeOverdue: the revision missed its deadline.
	MetricOutcomeOverdue = "deadline_exceeded"
)
