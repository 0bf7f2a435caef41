// Package hosted has the manifests of the manager in a hosted control plane (HyperShift), and renders them.
//
// HyperShift's control-plane-operator (CPO) runs the components of a hosted control plane in a namespace of the management cluster. A
// component consists of manifests and of settings in Go. Folder assets has the manifests in the CPO's form, and component.go has the
// settings. Render does what the CPO does with both, as far as it affects these manifests; HyperShift itself cannot be imported. Tests
// compare the result with golden files, and the Deployment with the one in folder manifests.
//
// In the hosted cluster (the guest), the cluster-version operator applies the manifests in folder manifests, except those that
// GuestManifests leaves out.
package hosted
