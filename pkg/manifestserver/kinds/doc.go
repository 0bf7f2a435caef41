// Package kinds describes the resources that a server of manifests serves: the built-in kinds, those of config.openshift.io, and the custom
// kinds of CustomResourceDefinitions. For each it knows the schema, with which it normalizes and validates objects, and the field manager
// for server-side apply.
//
// The package stores no objects and knows no requests; package manifestserver does.
package kinds
