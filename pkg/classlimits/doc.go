// Package classlimits decides whether a ProvisionerClass allows a BundleDeployment or a Bundle. Check compares the limits of the class with
// what the object asks for: the source, the ServiceAccount, the install namespace and the size of the bundle.
//
// The package does not know what is installed. Its callers, the bundle and bundledeployment controllers, check only what is new, so that a class
// that becomes stricter does not stop repairs.
package classlimits
