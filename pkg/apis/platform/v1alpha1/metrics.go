package v1alpha1

// Metrics about PlatformOperators, each with the label MetricLabelOperator.
const (
	// MetricBehind is for how long, in seconds, there has been a version above what is installed, by the date of creation that its
	// bundle declares: that of the oldest such version which may be moved to or is merely held up. 0 when there is none.
	MetricBehind = "platform_operators_behind_seconds"
	// MetricBlockedUpdates is how many of the available updates are blocked, by MetricLabelReason.
	MetricBlockedUpdates = "platform_operators_blocked_updates"
)

// Labels of metrics about PlatformOperators.
const (
	// MetricLabelOperator is the name of a PlatformOperator.
	MetricLabelOperator = "platformoperator"
	// MetricLabelReason is a BlockedReason.
	MetricLabelReason = "reason"
)
