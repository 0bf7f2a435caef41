// Command bench measures the costs of platform-operators with real data and writes docs/benchmarks.md. Without a cluster it measures
// reading and keeping catalogs, resolving, upgrade graphs, rendering and planning. On the local cluster it measures installing, removing,
// repairing drift, idling, reacting to changes, peak memory, leader election, pulling, mirrors, verifying signatures, and the admission policies.
// A figure has a baseline from the same run if another program does the same. The figures for the Deployment's memory request are also in
// test/bench/memory.json (test/memorybudget).
//
// The command is a module of its own, so that the programs it compares with are not dependencies of the main module. It does not judge the
// figures. "make bench" runs it.
package main
