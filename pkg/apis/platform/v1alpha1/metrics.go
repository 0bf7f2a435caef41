package v1alpha1

// Metrics about PlatformOperators. Each has the label MetricLabelOperator, except MetricStepDuration. A series ends when its
// PlatformOperator is deleted.
const (
	// MetricBehind is how long, in seconds, a version above the installed one has been available. It is the age, by createdAt of
	// the bundle, of the oldest such version that is permitted, or that is blocked only by an approval, a pause, the version
	// range, an update of the cluster, a failed attempt or an unhealthy operator. It is 0 if there is no such version, or if none
	// has a readable createdAt.
	MetricBehind = "platform_operators_behind_seconds"
	// MetricBlockedUpdates is the number of available updates that are blocked, by MetricLabelReason.
	MetricBlockedUpdates = "platform_operators_blocked_updates"
	// MetricCondition is 1 for each condition of a PlatformOperator, by MetricLabelCondition, MetricLabelStatus and MetricLabelReason.
	MetricCondition = "platform_operators_condition"
)

// MetricStepDuration is a histogram of the durations of upgrade steps, in seconds, by MetricLabelTrigger. A step lasts from its start until
// its version is complete and healthy. The metric has no MetricLabelOperator, which would multiply the buckets.
const MetricStepDuration = "platform_operators_hop_duration_seconds"

// Metrics about catalogs. Each has the label MetricLabelCatalog.
const (
	// MetricCatalogAge is the time, in seconds, since the manager last read a catalog or found it unchanged.
	MetricCatalogAge = "platform_operators_catalog_age_seconds"
	// MetricCatalogUnreadable is how long, in seconds, a catalog has been unreadable. It is 0 while the catalog is readable. A catalog that
	// the manager has not tried to read has no series.
	MetricCatalogUnreadable = "platform_operators_catalog_unreadable_seconds"
)

// Metrics about upgrades of the cluster to the next minor versions of OpenShift.
const (
	// MetricBlockers is 1 for each object that blocks the upgrade to the next minor version. The object is a PlatformOperator
	// (MetricLabelOperator), or a BundleDeployment that no PlatformOperator owns (corev1alpha2.MetricLabelDeployment). MetricAcknowledged
	// and MetricReachable have the same labels. MetricBlockers also has MetricLabelAwaits.
	MetricBlockers = "platform_operators_upgrade_blocker"
	// MetricUndeclared is the number of installed operators that declare no olm.maxOpenShiftVersion. They block no upgrade, but
	// nothing states which OpenShift versions they support.
	MetricUndeclared = "platform_operators_undeclared"
	// MetricAcknowledged is 1 for each object that would block the upgrade to the next minor version without a compatibility override.
	MetricAcknowledged = "platform_operators_acknowledged_risk"
	// MetricReachable is the number of minor versions above the cluster's that an object permits, at most 2. It has the label
	// MetricLabelWhen, too.
	MetricReachable = "platform_operators_reachable_minor_versions"
)

// Labels of these metrics.
const (
	// MetricLabelOperator is the name of a PlatformOperator.
	MetricLabelOperator = "platformoperator"
	// MetricLabelReason is a BlockedReason in MetricBlockedUpdates, and the reason of a condition in MetricCondition.
	MetricLabelReason = "reason"
	// MetricLabelAwaits is MetricAwaitsApproval, or absent.
	MetricLabelAwaits = "awaits"
	// MetricLabelWhen is MetricWhenNow or MetricWhenUpdated.
	MetricLabelWhen = "when"
	// MetricLabelCondition is the type of a condition.
	MetricLabelCondition = "condition"
	// MetricLabelStatus is the status of a condition: True, False or Unknown.
	MetricLabelStatus = "status"
	// MetricLabelTrigger is the Trigger of an upgrade step.
	MetricLabelTrigger = "trigger"
	// MetricLabelCatalog is kind, namespace and name of a catalog, such as CatalogSource/openshift-marketplace/redhat-operators or
	// ClusterCatalog/openshift-redhat-operators.
	MetricLabelCatalog = "catalog"
)

// Values of MetricLabelWhen.
const (
	// MetricWhenNow means that the value is about the installed versions.
	MetricWhenNow = "now"
	// MetricWhenUpdated means that the value is about the versions after all updates that are possible now or need only an
	// approval.
	MetricWhenUpdated = "after_updates"
)

// MetricAwaitsApproval is the value of MetricLabelAwaits if only the approval of a version, or of its plan, is missing for an update that
// permits the upgrade.
const MetricAwaitsApproval = "approval"
