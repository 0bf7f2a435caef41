// Package unpack reads the bundles in sources. It resolves a source, fetches the content into the content store unless it is already
// stored, and reads the content as a bundle of a format. Inspect returns a bundle's metadata, Render its rendered objects.
//
// Transient faults of sources, disks and clusters are errors. Faults that only a different bundle or a different configuration corrects are
// part of a Rendering. The bundle and bundledeployment controllers call the package.
package unpack
