// Package payload checks every file of manifests/ against the rules of the cluster-version operator, of the release tooling,
// and of OpenShift for components of the release payload. It needs no cluster; test/integration tests what only an API server
// can. For each rule a test changes a manifest so that it violates the rule.
package payload
