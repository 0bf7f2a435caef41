// Package builtin serves Kubernetes' built-in kinds from k8s.io/apiserver's generic registry: the types are k8s.io/api's, stored as they
// are. What kube-apiserver does beyond that for a kind is here as far as the behavior of a client depends on it: defaults, generations,
// status as a subresource of its own, and how a Namespace ends. Validation covers metadata, immutable
// fields, and the mistakes that authors of manifests make most often; all of kube-apiserver's is in k8s.io/kubernetes, which is no library.
//
// Kinds is the list of them.
package builtin
