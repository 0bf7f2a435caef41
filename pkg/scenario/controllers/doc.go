// Package controllers does what kube-controller-manager does for every cluster, on an API server in memory: it collects garbage, empties and
// finalizes deleted Namespaces, creates the default ServiceAccount and certificate authorities of each Namespace, and aggregates
// ClusterRoles.
//
// The controllers read changes of all objects from the storage, in the order in which they were written, and write through the API server
// as users of their own. They handle one change at a time, at once, so that a story takes the same course in each run.
package controllers
