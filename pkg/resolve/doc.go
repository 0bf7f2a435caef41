// Package resolve decides which bundle one PlatformOperator should run next. It chooses the newest version that the spec, the catalogs and
// the cluster permit, and to which a path of permitted upgrade steps (pkg/upgrade) leads. The decision also lists every refused version
// with a typed reason (pkg/resolve/reason). For operators that depend on one another, pkg/resolve/joint makes the decisions together.
//
// Its functions do no I/O. Their input is the content of the catalogs (pkg/catalog), the request, and the state of the cluster
// (ClusterState). The package does not read catalogs, and does not decide when to upgrade. The upgrade gate derives its remedies from
// Decision.Moves.
//
// An Evaluation reads the request and the catalogs, applies the rules (rules.go), finds the paths from the installed version (paths.go),
// and chooses. A ClusterIndex holds the state of the cluster and the operators that are decided together.
//
// Versions are ordered by the precedence of semantic versioning. Versions that differ only in build metadata have equal precedence; they
// are ordered by that metadata and then by bundle name, as text.
package resolve
