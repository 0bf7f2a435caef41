// Package imagepolicy decides which ClusterImagePolicies and ImagePolicies apply to an image, and what they require of its signatures. It has
// the rules by which the machine-config operator writes the policies of CRI-O. pkg/imageconfig reads the objects, and pkg/signatures verifies.
//
// Two rules are stricter than on nodes. A ClusterImagePolicy always takes precedence over an ImagePolicy, also over one whose scope is a single
// tag or digest. And an image must satisfy its policy even if allowedRegistries of Image "cluster" has a scope that is more specific.
package imagepolicy
