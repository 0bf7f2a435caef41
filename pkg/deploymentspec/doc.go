// Package deploymentspec makes the BundleDeployment for a PlatformOperator: the bundle that it runs, the settings that it takes from the
// spec of the PlatformOperator, the records in its annotations, and the install namespace. The package does no I/O. The platformoperator
// controller writes the BundleDeployment that the package returns.
package deploymentspec
