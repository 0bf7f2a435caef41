package v1alpha1

// EventPlatformOperatorManagerCreated: PlatformOperatorManager "cluster" was missing and was created. It is on the manager's
// Deployment.
const EventPlatformOperatorManagerCreated = "PlatformOperatorManagerCreated"
