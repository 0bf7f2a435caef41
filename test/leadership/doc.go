// Package leadership reads the manager's Lease, the requests of each manager in the audit log, and the transitions of the
// ClusterOperator's conditions. Its own tests kill leaders and stop the API server with the payload's timings, which takes
// minutes. test/integration does so with shorter timings.
//
// The package starts no managers and asserts nothing; the tests do.
package leadership
