// Package object holds the objects that should exist for a BundleDeployment, and decides whose a live object is.
//
// It sends no requests. A Set is the objects of one revision in their phases; each object carries the owner labels. Ownership of a
// live object is read from its labels, its managedFields and its owner references by pkg/ownership. Errors that name an object and
// what to do about it are Refusals.
package object
