package v1alpha1

// EventPlatformOperatorManagerCreated means that PlatformOperatorManager "cluster" was missing and was created. The Event is on the
// Deployment of the manager.
const EventPlatformOperatorManagerCreated = "PlatformOperatorManagerCreated"

// EventLimitsMissing means that PlatformOperatorManager "cluster" was deleted, and that its replacement lacks limits that the deleted one
// had. Nothing is installed or upgraded meanwhile. The Event is on the Deployment of the manager.
const EventLimitsMissing = "LimitsMissing"

// Reasons of Events about the cluster's image configuration, which are on the Deployment of the manager.
const (
	// EventImageConfigInvalid means that a part of the ImageDigestMirrorSets, ImageTagMirrorSets, ImageContentSourcePolicies, registrySources or
	// ClusterImagePolicies is invalid, or contradicts another part. The message says how the manager treats it.
	EventImageConfigInvalid = "ImageConfigInvalid"
	// EventImageConfigValid means that the image configuration is valid again.
	EventImageConfigValid = "ImageConfigValid"
)
