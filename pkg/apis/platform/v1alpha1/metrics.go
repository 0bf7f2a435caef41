package v1alpha1

// Metrics about PlatformOperators, each with the label MetricLabelOperator. Those of one that is gone go with it.
const (
	// MetricBehind is for how long, in seconds, there has been a version above what is installed, by the date of creation that its
	// bundle declares: that of the oldest such version which may be moved to or is merely held up. 0 when there is none.
	MetricBehind = "platform_operators_behind_seconds"
	// MetricBlockedUpdates is how many of the available updates are blocked, by MetricLabelReason.
	MetricBlockedUpdates = "platform_operators_blocked_updates"
	// MetricCondition is 1 for each condition that a PlatformOperator has, by MetricLabelCondition, MetricLabelStatus and
	// MetricLabelReason.
	MetricCondition = "platform_operators_condition"
)

// MetricHopDuration is how long, in seconds, moves took from when they began until their version was complete and healthy, by
// MetricLabelTrigger. It is about all PlatformOperators together: their names would multiply its buckets.
const MetricHopDuration = "platform_operators_hop_duration_seconds"

// Metrics about catalogs, by MetricLabelCatalog.
const (
	// MetricCatalogAge is how long ago, in seconds, a catalog was last read, or found not to have changed.
	MetricCatalogAge = "platform_operators_catalog_age_seconds"
	// MetricCatalogUnreadable is for how long, in seconds, a catalog could not be read; 0 while it can, absent before it was tried.
	MetricCatalogUnreadable = "platform_operators_catalog_unreadable_seconds"
)

// Metrics about what stands between the cluster and its next minor version.
const (
	// MetricBlockers is 1 for each PlatformOperator, by MetricLabelOperator, that does not permit it, and for each BundleDeployment, by
	// corev1alpha2.MetricLabelDeployment, that no PlatformOperator owns. MetricAcknowledged and MetricReachable have these labels too.
	MetricBlockers = "platform_operators_upgrade_blocker"
	// MetricUndeclared is how many installed operators say of no OpenShift version that it is the last they run on: they block nothing, and
	// nobody vouches for them.
	MetricUndeclared = "platform_operators_undeclared"
	// MetricAcknowledged is 1 for each object that does not permit it, but does not block it, because a compatibility override is in effect.
	MetricAcknowledged = "platform_operators_acknowledged_risk"
	// MetricReachable is how many minor versions beyond the cluster's an object permits, at most two; it has MetricLabelWhen as well.
	MetricReachable = "platform_operators_reachable_minor_versions"
)

// Labels of these metrics.
const (
	// MetricLabelOperator is the name of a PlatformOperator.
	MetricLabelOperator = "platformoperator"
	// MetricLabelReason is a BlockedReason, or the reason of a condition.
	MetricLabelReason = "reason"
	// MetricLabelWhen is MetricWhenNow or MetricWhenUpdated.
	MetricLabelWhen = "when"
	// MetricLabelCondition is the type of a condition.
	MetricLabelCondition = "condition"
	// MetricLabelStatus is the status of a condition: True, False or Unknown.
	MetricLabelStatus = "status"
	// MetricLabelTrigger is a Trigger.
	MetricLabelTrigger = "trigger"
	// MetricLabelCatalog is kind, namespace and name of a catalog: CatalogSource/openshift-marketplace/redhat-operators,
	// ClusterCatalog/openshift-redhat-operators.
	MetricLabelCatalog = "catalog"
)

// Values of MetricLabelWhen.
const (
	// MetricWhenNow: with what is installed.
	MetricWhenNow = "now"
	// MetricWhenUpdated: after updates of operators that can be made, or need nothing but an approval.
	MetricWhenUpdated = "after_updates"
)
