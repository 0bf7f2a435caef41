// Package leaderelection has what leader election leaves open: a manager whose container was started again gets the lease of the
// process before it at once, and a leader that stalled writes no more.
//
// Leader election itself is client-go's, as library-go configures it: a lease that is held is waited for until it runs out,
// which takes minutes. After a crash of the manager's container that wait protects nobody, because the process that held the
// lease has ended. Two facts prove that: the holder's identity names this very pod by name and UID, and this process got the
// lock of a file on the pod's volume, which the kernel releases when a process ends.
//
// A process that was suspended does not notice that its lease ran out. StallDetector measures how long the process did not run.
//
// The package does not elect a leader and does not renew a lease. The start command takes leases over before leader election begins.
package leaderelection
