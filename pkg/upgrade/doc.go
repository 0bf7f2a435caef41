// Package upgrade knows which version of an operator package may follow which, by which path, and in one sentence why
// not.
//
// A Graph is made of the bundles that a package has, the entries of the channels that count, and the rules that the
// package's author wrote down (schema io.openshift.operators.upgrades.v1alpha1). From an installed version it gives the
// path of hops to every other, or the reason why there is none: which rule, whose, and what would do.
//
// It is pure, and knows nothing of catalogs on a cluster, of operators that need one another, or of when a hop is made.
// Whether the cluster may run a bundle is said to it in Bundle.Unfit. pkg/resolve asks it what an operator may be moved to,
// and authors' tools how a package behaves. What was decided where the requirements were silent is in docs/upgrade-rules.md.
package upgrade
