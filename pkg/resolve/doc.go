// Package resolve decides which bundle a PlatformOperator should run: the newest version that its spec, the catalogs
// and the cluster permit, together with everything that was refused and why.
//
// It is a pure function of what the catalogs hold (pkg/catalog) and of what is asked. It does not know how catalogs are
// read, whether a move from the installed version follows the author's upgrade edges, or when the move should happen.
// The PlatformOperator controller calls Resolve; the upgrade gate takes its remedies from Decision.Moves.
//
// The order of versions is semantic versioning's precedence. Versions that differ in build metadata only, which have
// none, are ordered by that metadata and then by bundle name, as text.
package resolve
