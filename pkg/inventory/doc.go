// Package inventory knows what is on the cluster that operators need, or that is in their way: the kinds that its
// CustomResourceDefinitions serve and whose they are, and the packages that somebody else has installed, OLM v0 for a
// Subscription or OLM v1 for a ClusterExtension. It watches all of these, tolerates that a cluster has neither OLM, and keeps of
// each object a few names. It does not know what any of it means for a PlatformOperator and never changes anything; the wiring
// runs it, and controllers look into it through seams of their own.
package inventory
