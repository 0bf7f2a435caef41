// Package livecache caches the live objects that BundleDeployments own, and finds the resource that serves a kind.
//
// It watches every resource of which an owner has objects, and calls back when an object changes. It caches only objects that are owned by
// their labels and managedFields, because any writer of an object can set its labels. The API server's response to a write takes precedence
// until the watch has delivered the object. Kinds are discovered one version of one API group at a time.
package livecache
