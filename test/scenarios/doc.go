// Package scenarios runs stories about the whole manager in this process, in virtual time. The real controllers use the
// manager's ServiceAccount with the shipped roles. The API server with OpenShift's kinds, the catalogs and the registries are in
// memory.
//
// Run gives a story a cluster with the payload's manifests applied. The story acts as an admin (package story), starts, kills
// and restarts the manager, and lets time pass. Settle waits until nothing changes.
package scenarios
