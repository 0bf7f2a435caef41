// Package plain reads plain+v0 bundles, which are Kubernetes manifests and nothing else: Load reads and checks a bundle from a file
// tree, with the metadata that it may carry, and Render gives its objects for one install namespace. Manifests are never templated,
// whatever looks like a template in them, and take no configuration. The result depends on its inputs alone, byte for byte. It does
// not know catalogs, images or a cluster, nor in which order objects are applied. pkg/bundle/formats lists it.
package plain
