// Package resolve decides which bundle every PlatformOperator should run: the newest version that its spec, the catalogs, the
// cluster and the other operators permit, and that a path of permitted moves (pkg/upgrade) leads to, together with everything
// that was refused and why.
//
// It is a pure function of what the catalogs hold (pkg/catalog), of what is asked and of what is on the cluster (World). It
// does not know how catalogs are read, or when a move should happen. The PlatformOperator controller calls Together for all
// operators, or Resolve for one; the upgrade gate takes its remedies from Decision.Moves.
//
// An operator is studied alone first (study.go: rules, then the journey from what is installed). Those that have to do with
// one another (together.go) become a satisfiability problem (member.go, puzzle.go) that is solved in the order of age
// (solve.go) by go-air/gini; what somebody does not get is explained by a smallest set of what stands in the way
// (quarrel.go).
//
// The order of versions is semantic versioning's precedence. Versions that differ in build metadata only, which have
// none, are ordered by that metadata and then by bundle name, as text.
package resolve
