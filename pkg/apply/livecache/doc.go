// Package livecache knows the live objects that some BundleDeployment owns, and which resource serves a kind.
//
// It watches every resource that an owner has objects of, and calls back when one changes. It keeps only objects that are owned: by
// their labels and managedFields, because any writer of an object can set its labels. What the API server answers to a write
// is believed until the watch has caught up with it. Kinds are discovered one version of one API group at a time.
package livecache
