// Package leaderelection extends client-go's leader election: a restarted container takes over the lease of its earlier process at once,
// and a leader that has stalled cannot write.
//
// client-go, as library-go configures it, waits minutes until a held lease has expired. After a crash of the manager's container this wait
// is unnecessary, because the holder has ended. Two facts prove that: the holder's identity contains the name and the UID of this pod, and
// this process holds the lock on a file on the pod's volume. The kernel releases that lock when its holder ends.
//
// A suspended process does not notice that its lease has expired. StallDetector measures the time during which the process did not run.
//
// The package does not elect leaders or renew leases. The start command calls TakeOver before leader election begins.
package leaderelection
