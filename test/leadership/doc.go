// Package leadership reads the manager's Lease, the requests of each manager in the audit log, and the transitions of the ClusterOperator's
// conditions. Its tests kill leaders and make the API server unreachable, with the timings of the payload, which takes minutes. Tests in
// test/integration do the same with shorter timings.
//
// The package itself starts no managers and asserts nothing; its tests do.
package leadership
