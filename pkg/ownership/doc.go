// Package ownership decides which BundleDeployment owns a live object, and what a BundleDeployment may do with it.
//
// Decide is the only implementation: applying, reverting drift, pruning, removing and watching all use it. A BundleDeployment owns an
// object that has both its owner labels and its field manager. It also owns an object with its labels if a completely applied revision
// lists the object, as after a restore from a backup. Labels alone are no proof: every client that may write an object can set them. An
// admission policy in manifests/ prevents other clients from using the field manager on an object with the labels. UIDs are not compared,
// because a restored object has a different one. The package does not depend on API servers, revisions, or policies except spec.adoption.
// The apply engine passes in what it has read and acts on the result.
package ownership
