// Package ownership decides whose a live object is, and what a BundleDeployment may do with it.
//
// Decide is the only place where that is decided: applying, repairing, pruning, removing and watching all ask it. An object is a
// BundleDeployment's if it has both its owner labels and its field manager, or its labels while a revision that was applied
// completely lists it, which is how a backup brings it back. Labels alone prove nothing: everybody who may write an object can set
// them. An admission policy in manifests/ denies others the field manager on an object that has the labels. UIDs do not count, because
// a restored object has another one.
//
// It knows no API server, no revision and no policy but spec.adoption; the apply engine gives it what it has read, and carries
// out what it says.
package ownership
