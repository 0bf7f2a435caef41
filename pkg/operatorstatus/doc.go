// Package operatorstatus computes the status of a PlatformOperator: the installed bundle, the step that is under way, the available
// updates, how far the operator permits upgrades of the cluster, and the conditions. Its inputs are the spec, the resolver's decision, the
// upgrade step, and the status of the BundleDeployment. It also returns the Events for a changed status.
//
// The package does no I/O. The platformoperator controller calls it once at the end of each sync, writes the status and sends the Events.
package operatorstatus
