// Package payload checks every file in manifests/ against the rules for components of the release payload. The rules are those of the
// cluster-version operator, of the release tooling, and of OpenShift. The package needs no cluster; test/integration contains the tests
// that need an API server. For each rule, a test changes a manifest to violate the rule.
package payload
