// Package compat says which cluster versions the installed operators permit, who stands in the way of the next minor
// version, and what an administrator can do about it. It is the upgrade gate's judgement, as a pure function.
//
// What an operator declares (olm.maxOpenShiftVersion, as raw JSON) and which versions it could be moved to are passed
// in as data. The package does not know where that was read, what a catalog or a channel is, or how a verdict gets to
// the ClusterOperator. The controllers that report Upgradeable call Evaluate; pkg/resolve calls ReadMax.
//
// Every doubt blocks: a value that cannot be read, two values, a cluster version that cannot be read. An operator that
// declares nothing is compatible with everything, and is counted.
package compat
