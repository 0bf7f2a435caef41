// Command bench measures what platform-operators costs on real input and writes docs/benchmarks.md: reading catalogs,
// resolving a package, rendering bundles, and installing ten operators on the local cluster. Every figure stands beside a
// baseline that was measured in the same run, in turns with it.
//
// It is a module of its own, so that the peers it measures against never enter the main module's dependencies. It judges
// nothing: whether a figure is good enough is for those who read the document. "make bench" is its caller.
package main
