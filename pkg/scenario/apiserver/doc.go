// Package apiserver runs a Kubernetes API server in the process of a test. It uses k8s.io/apiserver and k8s.io/apiextensions-apiserver with
// in-memory storage. Clients reach it without a socket.
//
// As in kube-apiserver, k8s.io/apiextensions-apiserver serves CustomResourceDefinitions and custom resources: schemas, defaults, pruning,
// CEL rules, status, server-side apply. Package builtin provides the built-in kinds. The bearer token of a request is the name of its user.
// RBAC authorizes the request. The admission plugins are NamespaceLifecycle and ValidatingAdmissionPolicy. There is no OpenAPI endpoint, no
// watch cache, and no priority and fairness.
package apiserver
