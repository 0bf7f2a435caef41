// Package upgradestep decides which bundle the BundleDeployment of a PlatformOperator runs next, and when.
//
// An upgrade step changes the bundle that a BundleDeployment runs: the first installation, the move to a different version, the move to a
// different image of the same version, or the restoration of the bundle that was installed before somebody deleted the BundleDeployment.
// Only one step is under way at a time. The resolver (pkg/resolve) chooses the bundle; this package decides whether the step to it starts
// now. Decide goes through one table of rules (rules.go), which is the specification.
//
// The package does no I/O: it reads API objects and returns values. It also interprets the data about steps: the records in the annotations
// of the BundleDeployment (RecordedBundle, StepStart), the progress of a rollout (Rollout), and status.history. The platformoperator
// controller, pkg/deploymentspec and pkg/operatorstatus call it.
package upgradestep
