package v1alpha2

// Events on a BundleDeployment, about what is done.
const (
	// EventRollOutStarted: a revision begins to roll out.
	EventRollOutStarted = "RollOutStarted"
	// EventRevisionActive: a revision is complete and healthy.
	EventRevisionActive = "RevisionActive"
	// EventRolledBack: the revision before one that missed its deadline is active again.
	EventRolledBack = "RolledBack"
	// EventPruned: what only an earlier or a failed revision had was deleted, or let go of.
	EventPruned = "Pruned"
	// EventDriftRepaired: what somebody else changed or deleted was put back.
	EventDriftRepaired = "DriftRepaired"
	// EventDriftSeen: so many changes at once that most have no Event of their own; it says how many.
	EventDriftSeen = "DriftSeen"
	// EventAPIWarning: the API server warned of an object that was applied.
	EventAPIWarning = "APIWarning"
	// EventRevisionLost: a stored revision cannot be read any more; later, among which kinds it was looked for what only it had.
	EventRevisionLost = "RevisionLost"
	// EventSourceUnreachable: a source cannot be looked at again; what is installed stays.
	EventSourceUnreachable = "SourceUnreachable"
	// EventRevisionNotStored: what was read again of a source cannot be stored as a revision; what is installed stays.
	EventRevisionNotStored = "RevisionNotStored"
	// EventRemoved: everything that was applied has been taken down.
	EventRemoved = "Removed"
)

// Events on a BundleDeployment that bear the name of the reason that they are of.
const (
	EventDriftReported         = ReasonDriftReported
	EventDriftContested        = ReasonDriftContested
	EventUnpackFailed          = ReasonUnpackFailed
	EventProvisionerNotFound   = ReasonProvisionerNotFound
	EventBundleLoadFailed      = ReasonBundleLoadFailed
	EventInstallFailed         = ReasonInstallFailed
	EventUpgradeFailed         = ReasonUpgradeFailed
	EventReconcileFailed       = ReasonReconcileFailed
	EventInstallationSucceeded = ReasonInstallationSucceeded
	EventHealthy               = ReasonHealthy
	EventUnhealthy             = ReasonUnhealthy
	EventDeadlineExceeded      = ReasonDeadlineExceeded
	EventRollingBack           = ReasonRollingBack
)

// Events on the manager's Deployment beside those about PlatformOperators. EventUnpackFailed and EventProvisionerNotFound
// are sent there about Bundles.
const (
	// EventUnpackSuccessful: the content of a Bundle was read.
	EventUnpackSuccessful = ReasonUnpackSuccessful
	// EventProvisionerClassCreated: the shipped ProvisionerClass was missing and was created.
	EventProvisionerClassCreated = "ProvisionerClassCreated"
)
