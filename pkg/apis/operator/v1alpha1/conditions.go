package v1alpha1

// Reasons of conditions of the PlatformOperatorManager that are about the manager itself; AsExpected is the platform API's.
const (
	// ReasonWorkingTowardsVersion: a manager of another version than the one that the ClusterOperator reports has not looked at
	// everything yet.
	ReasonWorkingTowardsVersion = "WorkingTowardsVersion"
)
