// Package plan orders objects into the phases in which they are applied, so that dependencies come first, and computes the digest of a set
// of objects. A removal uses the same phases in reverse. The package also decides whether an install namespace may be used. It does not
// read the cluster: the apply engine and the bundledeployment controller read whether an object exists, is healthy or has another owner.
package plan
