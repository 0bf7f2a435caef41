// Package payload checks every file of manifests/ against the rules of the cluster-version operator, the release tooling and OpenShift's
// conventions for a component of the release payload. It needs no cluster; test/integration tests what only an API server can. Each rule
// is tested with a payload that breaks it.
package payload
