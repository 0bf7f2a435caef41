// Package livecache caches the live objects that BundleDeployments own, and finds the resource that serves a kind.
//
// It watches every resource for which an owner has objects, and calls back when an object changes. It caches an object only if both its
// labels and its managedFields show that it is owned, because any client that writes an object can set its labels. The API server's
// response to a write takes precedence until the watch has delivered the object. Kinds are discovered one version of one API group at a
// time.
package livecache
