// Package revision is the life of a BundleDeployment's revisions, as a state machine without side effects.
//
// A revision is one rendering of one bundle, stored under a number. A Machine decides one sync: it is given what is stored and
// what is known of the cluster, and says which Action is next. The controller carries the action out, adds what came of it, and
// asks again, until nothing is left to do. Then the Machine fills in the status: conditions, revisions, and content.
//
// The states of a revision and the rules by which it changes its state are one table, in transitions.go. The steps of a sync
// are another one, in steps.go. Both are data: the diagram in docs/bundledeployments.md is generated from the first.
//
// The package has no clients, no clock and no goroutines. Whatever must survive a restart is in the BundleDeployment's status.
package revision
