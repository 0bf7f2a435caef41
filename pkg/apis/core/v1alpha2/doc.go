// Package v1alpha2 is the API of the bundle engine. A BundleDeployment installs the content of one bundle, a Bundle stages content
// without installing it, and a ProvisionerClass selects the format of bundles.
//
// The wire format is a superset of the archived rukpak v1alpha2 API, so that existing BundleDeployments keep their meaning. Every
// PlatformOperator has a BundleDeployment. Users can create others.
//
// +k8s:deepcopy-gen=package
// +k8s:openapi-gen=false
// +groupName=core.rukpak.io
package v1alpha2
