// Package controllers is what kube-controller-manager does for every cluster, on an API server in memory: it collects objects whose owners
// are gone, empties and ends Namespaces, gives each Namespace its default ServiceAccount and certificate authorities, and aggregates
// ClusterRoles.
//
// They learn of objects from the storage, of all kinds at once and in the order in which they were written, and write through the API
// server as users of their own. What has to be done is done at once, one object after the other, so that a story takes the same course
// each time.
package controllers
