// Package v1alpha1 is the PlatformOperator API: which operators the cluster has, and their state.
//
// The types contain their own validation (markers and CEL rules, compiled into the CRD), because objects may be created during the
// installation of a cluster, before a webhook could run. The package does not depend on catalogs, bundles or clients.
//
// +k8s:deepcopy-gen=package
// +k8s:openapi-gen=false
// +groupName=platform.openshift.io
package v1alpha1
