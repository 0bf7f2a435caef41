package v1alpha1

// EventPlatformOperatorManagerCreated means that PlatformOperatorManager "cluster" was missing and was created. The Event is on the
// Deployment of the manager.
const EventPlatformOperatorManagerCreated = "PlatformOperatorManagerCreated"

// EventLimitsMissing means that PlatformOperatorManager "cluster" replaced one with more limits, so that nothing is installed or
// upgraded. The Event is on the Deployment of the manager.
const EventLimitsMissing = "LimitsMissing"
