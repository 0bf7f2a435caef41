// Package controllers replaces some controllers of kube-controller-manager in an in-memory cluster. It collects garbage, deletes the
// content of terminating Namespaces, creates the default ServiceAccount and the ConfigMap kube-root-ca.crt in each Namespace, and
// aggregates ClusterRoles.
//
// The controllers watch the storage, which delivers the writes to all objects in order. They write through the API server, each as its own
// user. They handle one change at a time and without delay, so that all runs of a test write in the same order.
package controllers
