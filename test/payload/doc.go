// Package payload reads every file of manifests/ and holds it to the rules that the cluster-version operator, the release
// tooling and OpenShift's conventions have for a component of the release payload. It needs no cluster: what only an API
// server can say is in test/integration. Its rules are tried themselves on payloads with one fault each, so that none of
// them is a rule that nothing can break.
package payload
