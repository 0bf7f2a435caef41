// Package teardown removes the objects of a set in the reverse order of its phases.
//
// A removal deletes a CustomResourceDefinition only if users have no custom resources of it left. It deletes a namespace only if the
// manager created it and it contains no objects of other owners. Objects that are kept lose their owner labels. An object is deleted only
// in the state in which it was read.
package teardown
