// Package plan orders objects into the phases in which they are applied, so that dependencies come first, and computes the digest of a set
// of objects. A removal uses the same phases in reverse. The package does not know the cluster: its caller, the bundle engine, knows
// whether an object exists, is healthy or has another owner.
package plan
