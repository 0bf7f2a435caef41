// Package leadership reads the manager's Lease, the requests of each manager in the audit log, and the transitions of the ClusterOperator's
// conditions. The tests of the package kill leaders and make the API server unreachable with the payload's timings, which takes minutes.
// test/integration does so with shorter timings.
//
// The package itself starts no managers and asserts nothing; its tests do.
package leadership
