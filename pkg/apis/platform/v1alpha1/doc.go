// Package v1alpha1 holds the PlatformOperator API: which operators the platform is made of, and what became of them.
//
// The types carry their own validation (markers and CEL rules, compiled into the CRD), because the objects may be
// created while a cluster is being installed, before any webhook could run. The package knows nothing of catalogs,
// bundles or clients; every other room reads it.
//
// +k8s:deepcopy-gen=package
// +k8s:openapi-gen=false
// +groupName=platform.openshift.io
package v1alpha1
