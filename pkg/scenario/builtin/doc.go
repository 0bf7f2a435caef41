// Package builtin serves Kubernetes' built-in kinds with k8s.io/apiserver's generic registry. It stores the types from k8s.io/api directly,
// without an internal version.
//
// The package reimplements the behavior of kube-apiserver that clients depend on: defaults, generations, status subresources, and the
// deletion of Namespaces. Validation covers metadata, immutable fields, and the most frequent mistakes in manifests. The complete
// validation is in k8s.io/kubernetes, which does not support being used as a library.
//
// Kinds lists the kinds.
package builtin
