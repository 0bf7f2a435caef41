// Package resolve decides which bundle one PlatformOperator should run next: the newest version that its spec, the catalogs and the
// cluster permit, and that a path of permitted upgrade steps (pkg/upgrade) leads to, together with every version that was refused and
// a typed reason (pkg/resolve/reason). Operators that depend on one another are decided together by pkg/resolve/joint.
//
// It is a pure function of what the catalogs hold (pkg/catalog), of the request and of what is on the cluster (ClusterState). It does
// not know how catalogs are read, or when an upgrade should happen. The upgrade gate takes its remedies from Decision.Moves.
//
// An Evaluation reads the request and the catalogs, applies the rules (rules.go), finds the paths from what is installed (paths.go) and
// chooses. ClusterIndex says what is on the cluster and which operators are decided together.
//
// The order of versions is semantic versioning's precedence. Versions that differ in build metadata only, which have
// none, are ordered by that metadata and then by bundle name, as text.
package resolve
