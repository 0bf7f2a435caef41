package v1alpha2

// Reasons of Events on a BundleDeployment about actions of the manager.
const (
	// EventRollOutStarted means that the rollout of a revision begins.
	EventRollOutStarted = "RollOutStarted"
	// EventPlanApproved means that the plan of a revision was approved. The message has the name of the user.
	EventPlanApproved = "PlanApproved"
	// EventRevisionActive means that a revision is complete and healthy.
	EventRevisionActive = "RevisionActive"
	// EventRolledBack means that a revision missed its deadline, and that the revision before it is active again.
	EventRolledBack = "RolledBack"
	// EventPruned means that objects which only an earlier or a failed revision had were deleted or released.
	EventPruned = "Pruned"
	// EventDriftRepaired means that changes or deletions by others were reverted.
	EventDriftRepaired = "DriftRepaired"
	// EventDriftSeen stands for many simultaneous changes, most of which have no Event of their own. The message has their
	// number.
	EventDriftSeen = "DriftSeen"
	// EventAPIWarning means that the API server returned a warning for an applied object.
	EventAPIWarning = "APIWarning"
	// EventBundleWarning means that a manifest of the bundle is not installed as written.
	EventBundleWarning = "BundleWarning"
	// EventRevisionRestored means that a revision whose Secrets were deleted or damaged is stored again.
	EventRevisionRestored = "RevisionRestored"
	// EventRevisionLost means that a stored revision is unreadable. A later Event lists the kinds that were searched for objects
	// which only this revision had.
	EventRevisionLost = "RevisionLost"
	// EventSourceUnreachable means that a source cannot be polled. What is installed stays.
	EventSourceUnreachable = "SourceUnreachable"
	// EventRevisionNotStored means that new content of a polled source cannot be stored as a revision. What is installed stays.
	EventRevisionNotStored = "RevisionNotStored"
	// EventRemoved means that everything that was applied has been removed.
	EventRemoved = "Removed"
)

// Reasons of Events on a BundleDeployment that are also reasons of its conditions.
const (
	EventDriftReported         = ReasonDriftReported
	EventAwaitingApproval      = ReasonAwaitingApproval
	EventPoliciesNotInForce    = ReasonPoliciesNotInForce
	EventDriftContested        = ReasonDriftContested
	EventUnpackFailed          = ReasonUnpackFailed
	EventProvisionerNotFound   = ReasonProvisionerNotFound
	EventNotAllowed            = ReasonNotAllowed
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

// Reasons of Events on a Bundle, in addition to EventUnpackFailed, EventProvisionerNotFound and EventNotAllowed.
const (
	// EventUnpackSuccessful means that the content of a Bundle was read.
	EventUnpackSuccessful = ReasonUnpackSuccessful
)

// Reasons of Events on the Deployment of the manager.
const (
	// EventProvisionerClassCreated means that a shipped ProvisionerClass was missing and was created.
	EventProvisionerClassCreated = "ProvisionerClassCreated"
)
