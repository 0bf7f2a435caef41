// Package unpack turns sources into bundles: it resolves a source, fetches the content into the content store unless it is there, and reads
// it as a bundle of a format. Inspect finds out what a bundle is, Render renders its objects.
//
// It returns transient faults of sources, disks and clusters as errors. What only another bundle or another configuration corrects is part
// of a Rendering. It does not know which types of sources and which formats there are, and it decides nothing: the bundle and
// bundledeployment controllers call it.
package unpack
