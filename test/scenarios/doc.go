// Package scenarios runs stories about the whole manager in this process, at virtual time: the real controllers under their
// ServiceAccount and the shipped roles, on an API server in memory with OpenShift's kinds, with catalogs and registries on a
// network in memory.
//
// Run gives a story a cluster with the payload's manifests applied. The story acts as an admin (package story), starts, kills
// and restarts the manager, and lets time pass; Settle waits until nothing changes any more.
package scenarios
