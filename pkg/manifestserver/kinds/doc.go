// Package kinds describes the resources that package manifestserver serves: the built-in kinds, those of config.openshift.io, and the custom
// kinds of CustomResourceDefinitions. It has the schema of each kind, with which it normalizes and validates objects, and the field manager
// for server-side apply.
//
// The package stores no objects and handles no requests; package manifestserver does.
package kinds
