// Package apiserver is a Kubernetes API server in one process: k8s.io/apiserver and k8s.io/apiextensions-apiserver themselves, on a storage
// in memory, reached without a socket.
//
// CustomResourceDefinitions and what they define are served by the code that kube-apiserver runs: schemas, defaults, pruning, CEL rules,
// status, server-side apply. Built-in kinds are those of pkg/scenario/builtin. Requests are authenticated by a bearer token that names the
// user, authorized by RBAC, and admitted by ValidatingAdmissionPolicies and the life of namespaces. There is no OpenAPI endpoint, no watch
// cache and no priority and fairness.
package apiserver
