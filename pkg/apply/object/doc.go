// Package object holds the objects that should exist for a BundleDeployment, and decides which owner a live object has.
//
// It sends no requests. A Set contains the objects of one revision in their phases; each object has the owner labels. pkg/ownership reads
// the owner of a live object from its labels, its managedFields and its owner references. An error that names an object and its remedy is a
// Refusal.
package object
