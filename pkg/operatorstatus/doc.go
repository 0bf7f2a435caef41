// Package operatorstatus computes the status of a PlatformOperator: what is installed, what is under way, which updates are available, how far
// the operator lets the cluster be upgraded, and the conditions. It is computed from the spec, from what was decided, and from the status of
// the BundleDeployment. It also returns the Events for a changed status.
//
// The package is pure. The platformoperator controller calls it once at the end of each sync, writes the status and sends the Events.
package operatorstatus
