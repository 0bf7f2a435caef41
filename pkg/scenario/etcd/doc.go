// Package etcd provides an in-memory replacement for etcd with the features that a Kubernetes API server uses: revisions, optimistic
// writes, lists at an old revision, watches, leases and compaction.
//
// A Store holds the data. NewClient returns a client for k8s.io/apiserver's etcd3 storage. A Store works in a testing/synctest bubble: it
// uses no network, its only goroutines belong to watches, and timers expire its leases. A Snapshot is a copy of the data; Restore creates
// any number of Stores from it, in the same or in other bubbles. Replace sets a running Store back to a Snapshot. A Delay delays the
// delivery of an event to some watches.
package etcd
