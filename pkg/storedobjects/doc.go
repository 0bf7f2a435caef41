// Package storedobjects checks whether the custom resources in a cluster fit the CustomResourceDefinitions of a new revision, before the
// revision is applied. Rules that compare only the definitions cannot know which values the objects have.
//
// A check lists all custom resources of the changed definitions in pages, in the background: there may be 100,000 of them. It stops when it
// has found enough objects that do not fit. The package does not decide what follows from the result.
package storedobjects
