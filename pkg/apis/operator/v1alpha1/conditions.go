package v1alpha1

// Reasons of those conditions of the PlatformOperatorManager that are about the manager itself. The reason AsExpected is declared in
// package platform/v1alpha1.
const (
	// ReasonWorkingTowardsVersion means that the manager was updated and has not reconciled every object yet. The ClusterOperator
	// still reports the previous version.
	ReasonWorkingTowardsVersion = "WorkingTowardsVersion"
)
