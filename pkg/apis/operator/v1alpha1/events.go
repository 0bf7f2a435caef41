package v1alpha1

// EventPlatformOperatorManagerCreated means that PlatformOperatorManager "cluster" was missing and was created. The Event is on the
// Deployment of the manager.
const EventPlatformOperatorManagerCreated = "PlatformOperatorManagerCreated"

// EventLimitsMissing means that PlatformOperatorManager "cluster" was deleted, and that its replacement lacks limits that the deleted one
// had. Nothing is installed or upgraded meanwhile. The Event is on the Deployment of the manager.
const EventLimitsMissing = "LimitsMissing"
