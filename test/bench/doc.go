// Command bench measures what platform-operators costs on real input and writes docs/benchmarks.md: reading and keeping
// catalogs, resolving, upgrade graphs, rendering bundles, and on the local cluster: installing, at once and in bulk, removing,
// repairing drift, having nothing to do, the verdict on cluster upgrades, the memory that full-size catalogs take, leading, and
// pulling. Every figure stands beside a baseline that was measured in the same run, wherever there is something else that does
// the same. What the Deployment's memory follows from is written to test/bench/memory.json too (test/memorybudget).
//
// It is a module of its own, so that the peers it measures against never enter the main module's dependencies. It judges
// nothing: whether a figure is good enough is for those who read the document. "make bench" is its caller.
package main
