package v1alpha2

// Metrics about BundleDeployments. Each has the label MetricLabelDeployment.
const (
	// MetricDriftRepairs counts repaired objects: the manager reverted changes or deletions by others.
	MetricDriftRepairs = "platform_operators_drift_repairs_total"
	// MetricRollouts counts revisions that became active or missed their deadline, by MetricLabelOutcome.
	MetricRollouts = "platform_operators_rollouts_total"
	// MetricLastRolloutDuration is the duration, in seconds, of the rollout of the last revision that became active.
	MetricLastRolloutDuration = "platform_operators_last_rollout_duration_seconds"
	// MetricDrifted is 1 for each BundleDeployment with drift that the manager does not revert, by MetricLabelReason.
	MetricDrifted = "platform_operators_drifted"
)

// Labels of metrics, and their values.
const (
	// MetricLabelDeployment is the name of a BundleDeployment.
	MetricLabelDeployment = "bundledeployment"
	// MetricLabelReason is the reason of a True Drifted condition: ReasonDriftReported or ReasonDriftContested.
	MetricLabelReason = "reason"
	// MetricLabelOutcome is MetricOutcomeSucceeded or MetricOutcomeDeadlineExceeded.
	MetricLabelOutcome = "outcome"
	// MetricOutcomeSucceeded means that the revision became active.
	MetricOutcomeSucceeded = "succeeded"
	// MetricOutcomeDeadlineExceeded means that the revision missed its deadline.
	MetricOutcomeDeadlineExceeded = "deadline_exceeded"
)
