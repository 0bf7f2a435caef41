// Package etcd is an etcd in memory, as far as the storage of a Kubernetes API server uses one: keys with revisions, optimistic
// writes, lists at an old revision, watches, leases, and compaction.
//
// A Store keeps the data. NewClient returns a client of it for k8s.io/apiserver's etcd3 storage. There is no network,
// and no goroutine except one for each watch, and leases expire by time.AfterFunc, so that a Store works in a testing/synctest bubble.
// A Snapshot is a copy of the data, from which any number of Stores start, also in other bubbles.
package etcd
