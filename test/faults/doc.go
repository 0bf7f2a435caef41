// Package faults injects faults into the manager's requests and checks the objects and the status of BundleDeployments.
//
// A Proxy in front of the API server or a registry forwards all requests, including watches and bearer tokens. A Fault selects requests by
// Match and Nth. Its Action refuses, resets, holds or delays a request, sends it twice, drops its response, or kills the manager before or
// after the request. The proxy records every write. An Inspector reads the objects of a BundleDeployment as the admin. It checks that they
// are complete, labeled and as declared, without orphans, or that they are removed. A StatusMonitor checks that the status stays true while
// faults happen.
//
// The package does not define how the manager should react to a fault. The tests in test/faults/stories assert that. README.md shows how to
// write such a test.
package faults
