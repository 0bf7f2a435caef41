// Package revision implements the lifecycle of a BundleDeployment's revisions, as a state machine without side effects.
//
// A revision is one rendering of one bundle, stored under a number. A Machine decides what one sync does. Its input is the stored revisions
// and the known state of the cluster, and it returns the next Action. The controller performs the action, sets the result on the Machine,
// and calls Next again until no action is left. Then the Machine fills in the status: conditions, revisions and content.
//
// The table in transitions.go lists the states of a revision and the transitions between them. The table in steps.go lists the steps of a
// sync. The diagram in docs/bundledeployments.md is generated from the transitions.
//
// The package has no clients, no clock and no goroutines. Everything that must survive a restart is in the BundleDeployment's status.
package revision
