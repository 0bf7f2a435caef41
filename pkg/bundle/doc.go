// Package bundle turns the content of bundles, an fs.FS, into Kubernetes objects. Each format implements Format and Bundle in a package
// below this one; pkg/bundle/formats lists the formats. This package contains what the formats share: the metadata of an operator, the
// properties that its author declared, and a bounded reader of directories of YAML or JSON files. It does not depend on sources of content
// or on clusters. pkg/unpack calls it.
package bundle
