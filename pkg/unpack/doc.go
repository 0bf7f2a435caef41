// Package unpack reads the bundles of sources. It resolves a source, fetches the content into the content store unless it is stored
// already, and reads the content as a bundle of a format. Inspect returns a bundle's metadata, Render its rendered objects.
//
// Transient faults of sources, disks and clusters are errors. Faults that only another bundle or another configuration corrects are part of
// a Rendering. The bundle and bundledeployment controllers call the package.
package unpack
