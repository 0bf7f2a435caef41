// Package bundle turns the content of bundles, an fs.FS, into Kubernetes objects. Format and Bundle are what a format implements; each format is
// a package below this one, and pkg/bundle/formats lists them. The package also has what formats share: the metadata of an operator, the
// properties that its author declared, and a bounded reader of directories of YAML or JSON files. It does not know sources of content or
// clusters. pkg/unpack calls it.
package bundle
