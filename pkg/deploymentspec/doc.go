// Package deploymentspec makes the BundleDeployment that a PlatformOperator asks for: the bundle that it runs, the settings that are propagated
// from the spec of the PlatformOperator, the records in its annotations, and the install namespace. It is pure; the platformoperator controller
// writes what it returns.
package deploymentspec
