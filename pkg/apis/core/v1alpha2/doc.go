// Package v1alpha2 holds the BundleDeployment API: one bundle of manifests, applied to the cluster and kept as applied.
//
// The wire form is a superset of the archived rukpak v1alpha2 API, so that existing image BundleDeployments keep their
// meaning. PlatformOperators are carried out through it; anybody else may use it too.
//
// +k8s:deepcopy-gen=package
// +k8s:openapi-gen=false
// +groupName=core.rukpak.io
package v1alpha2
