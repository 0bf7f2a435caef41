// Package manifestserver serves API requests from manifests in memory, as an API server does, and records the mutations.
//
// A Server is an http.RoundTripper for the clients of a controller that reconciles once. It replies to writes as an API server does:
// server-side apply merges and reports conflicts, resourceVersions and generations increase, and finalizers delay deletions. Lists with
// resourceVersion=0, which informers send, show only the manifests, so that all controllers of a round see the same input. Every other
// read shows the manifests with the writes of the current sync; see Server.Begin. A watch delivers no events.
//
// The package depends on no controller and on no file format. The caller passes objects and definitions, and writes the mutations to files.
//
// The server differs from kube-apiserver as follows. Tests compare the rest with k8s.io/apiserver.
//   - It runs no controllers: it collects no garbage, deletes no content of namespaces, and establishes no CustomResourceDefinition.
//   - It grants every access review, calls no webhooks, and evaluates neither CEL rules nor admission policies.
//   - It validates only the metadata of built-in kinds, and allocates no addresses. Built-in kinds have the defaults of Options.Default.
//     Both are in k8s.io/kubernetes, for which there is no library.
//   - It serves each built-in kind in one version, and no subresource except "status". Pods end without a grace period.
//   - A list has no pages.
package manifestserver
