// Package plan orders objects into the phases in which they are applied, so that dependencies come first. A removal uses the same phases in
// reverse. A Plan has what the rollout of a revision creates, changes, deletes and grants, with a digest that an approval names; Text shows
// it to the approver. MissingRoles returns the roles that a ServiceAccount lacks. The package also decides whether an install namespace may
// be used. It does not read the cluster: the apply engine and the bundledeployment controller read whether an object exists, is healthy or
// has another owner.
package plan
