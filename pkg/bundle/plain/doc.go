// Package plain reads plain+v0 bundles, which consist of Kubernetes manifests and optional metadata. Load reads and checks a bundle in a
// file tree, and Render returns its objects for one install namespace. Manifests are not templates and have no configuration. The result is
// a function of the inputs, byte for byte. The package does not depend on catalogs, images, clusters, or the order in which objects are
// applied. pkg/bundle/formats lists it.
package plain
