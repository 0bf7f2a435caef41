// Package teardown removes the objects of a set in the reverse order of its phases.
//
// A removal deletes a CustomResourceDefinition only if no custom resources of users are left, and a namespace only if the manager created it
// and it holds no objects of other owners. What stays loses its owner labels. An object is deleted in the state in which it was read.
package teardown
