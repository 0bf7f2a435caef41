// Package inventory holds what exists on the cluster that operators may require or conflict with: the kinds that CustomResourceDefinitions
// serve and their owners, and the packages that OLM v0 (Subscription) or OLM v1 (ClusterExtension) has installed. It watches these objects,
// works on a cluster without OLM, and caches only a few fields of each object. It does not decide what this means for a PlatformOperator,
// and never writes. pkg/operator runs it; controllers read it through their own interfaces.
package inventory
