// Package faults injects faults at a chosen moment, and checks invariants afterwards.
//
// A Proxy in front of the API server or a registry forwards all requests, including watches and tokens. A Fault selects requests by Match,
// the Nth of these, and what happens to them by Act: they are refused, reset, held, delayed or sent twice, their answer is lost, or the
// manager is killed before or after them. The proxy records every write. Estate reads the objects of a BundleDeployment as the admin, and
// checks that they are complete, without orphans, labeled and as declared, or gone. Witness checks, while faults happen, that the status is
// true.
//
// The package does not know how the manager should react to a fault. The stories in test/faults/stories assert that. README.md shows how to
// write one.
package faults
