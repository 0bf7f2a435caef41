// Package foreign knows which packages somebody else has installed on the cluster: OLM v0 for a Subscription, OLM v1 for a
// ClusterExtension. It watches both, tolerates that a cluster has neither, and says of a package who has it and in which
// version. It does not know what that means for a PlatformOperator and never changes or installs anything; the wiring runs
// it, and the platformoperator controller looks into it through a seam of its own.
package foreign
