package v1alpha1

// Metrics about PlatformOperators, each with the label MetricLabelOperator.
const (
	// MetricBehind is for how long, in seconds, there has been a version above what is installed, by the date of creation that its
	// bundle declares: that of the oldest such version which may be moved to or is merely held up. 0 when there is none.
	MetricBehind = "platform_operators_behind_seconds"
	// MetricBlockedUpdates is how many of the available updates are blocked, by MetricLabelReason.
	MetricBlockedUpdates = "platform_operators_blocked_updates"
)

// Metrics about what stands between the cluster and its next minor version.
const (
	// MetricBlockers is 1 for each PlatformOperator, by MetricLabelOperator, that does not permit it.
	MetricBlockers = "platform_operators_upgrade_blocker"
	// MetricUndeclared is how many installed operators say of no OpenShift version that it is the last they run on: they block nothing, and
	// nobody vouches for them.
	MetricUndeclared = "platform_operators_undeclared"
	// MetricAcknowledged is 1 for each PlatformOperator, by MetricLabelOperator, that does not permit it either, and blocks nothing,
	// because a compatibility override is in effect.
	MetricAcknowledged = "platform_operators_acknowledged_risk"
	// MetricReachable is how many minor versions beyond the cluster's an installed operator permits, at most two, by
	// MetricLabelOperator and MetricLabelWhen.
	MetricReachable = "platform_operators_reachable_minor_versions"
)

// Labels of metrics about PlatformOperators.
const (
	// MetricLabelOperator is the name of a PlatformOperator.
	MetricLabelOperator = "platformoperator"
	// MetricLabelReason is a BlockedReason.
	MetricLabelReason = "reason"
	// MetricLabelWhen is MetricWhenNow or MetricWhenUpdated.
	MetricLabelWhen = "when"
)

// Values of MetricLabelWhen.
const (
	// MetricWhenNow: with what is installed.
	MetricWhenNow = "now"
	// MetricWhenUpdated: after updates of operators that can be made, or need nothing but an approval.
	MetricWhenUpdated = "after_updates"
)
