// Package upgrade decides which version of an operator package may follow which other version, and along which upgrade path. If there is no
// path, it returns the reason as a sentence.
//
// A Graph is built from a package's bundles, the entries of the selected channels, and the rules of the package's author (schema
// io.openshift.operators.upgrades.v1alpha1). From an installed version it returns the path to every other version as a list of hops, or the
// reason why there is no path: which rule, whose rule, and a remedy.
//
// A hop is one upgrade along an edge: it replaces the installed version with the next version of the path.
//
// The package does no I/O. It does not depend on the catalogs of a cluster, on dependencies between operators, or on when a hop starts.
// Whether the cluster may run a bundle is an input (Bundle.Unfit). pkg/resolve uses the package to select an operator's next version, and
// authors' tools use it to check a package. docs/upgrade-rules.md explains decisions that the requirements left open.
package upgrade
