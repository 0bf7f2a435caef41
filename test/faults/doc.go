// Package faults injects faults into the manager's requests and checks the objects and the status of BundleDeployments.
//
// A Proxy in front of the API server or a registry forwards all requests, including watches and bearer tokens. A Fault selects
// requests by Match and Nth. Its Action says what happens to them: they are refused, reset, held, delayed or sent twice, their
// response is lost, or the manager is killed before or after them. The proxy records every write. An Inspector reads the
// objects of a BundleDeployment as the admin, and checks that they are complete, labeled and as declared, without orphans, or
// removed. A StatusMonitor checks that the status is true while faults happen.
//
// The package does not know how the manager should react to a fault. The tests in test/faults/stories assert that. README.md
// shows how to write one.
package faults
