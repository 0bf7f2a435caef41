// Package source defines the sources of bundles. A Source resolves to a pinned reference, and fetches its content into a directory. Each
// type of source has a package below this one, and a line in pkg/source/sources.
//
// Jobs carries out slow requests in the background: a sync starts a request and returns, and the object is synced again after the request
// has ended. Each host has a queue, so that a slow or broken host delays only its own requests.
//
// The package does not interpret or store the content. The bundle and bundledeployment controllers and pkg/unpack call it.
package source
