package v1alpha1

// EventPlatformOperatorManagerCreated: PlatformOperatorManager "cluster" was missing and was created. It is on the manager's
// Deployment.
const EventPlatformOperatorManagerCreated = "PlatformOperatorManagerCreated"

// EventLimitsMissing: PlatformOperatorManager "cluster" took the place of one that limited more, so that nothing is installed or moved.
// It is on the manager's Deployment.
const EventLimitsMissing = "LimitsMissing"
