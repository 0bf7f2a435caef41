// Package v1alpha2 holds the API of the bundle engine: BundleDeployment, the content of one bundle, applied to the cluster and
// kept as applied; Bundle, content that is not installed; ProvisionerClass, who reads it.
//
// The wire form is a superset of the archived rukpak v1alpha2 API, so that existing image BundleDeployments keep their
// meaning. PlatformOperators are carried out through it; anybody else may use it too.
//
// +k8s:deepcopy-gen=package
// +k8s:openapi-gen=false
// +groupName=core.rukpak.io
package v1alpha2
