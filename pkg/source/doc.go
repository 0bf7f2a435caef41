// Package source is where bundles come from. A Source resolves to a pinned reference, and fetches what that names into a directory. Each
// type of source is a package below this one, and a line in pkg/source/sources. Jobs carries out what is slow beside the controllers'
// syncs: a sync makes a request and goes on, and runs again when the request has ended. Queues are per host, so that a slow or broken
// host delays only requests that need it.
//
// It knows nothing of what the content is or where it is stored. The bundle and bundledeployment controllers call it, and pkg/unpack.
package source
