// Package bundle holds what every bundle format shares: the metadata that gates and upgrades an operator, the properties its
// author declared, and a bounded reader that turns a flat directory of YAML or JSON files into Kubernetes objects. It does not
// know how one format becomes the objects to apply (its sub-packages registryv1 and plain do), where the content came from, or any
// cluster. The format packages call it, and the bundle engine reads Metadata.
package bundle
