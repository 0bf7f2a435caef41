// Package leadership reads the manager's lease, the requests of each manager from the audit log, and the transitions of the ClusterOperator's
// conditions. Its own tests kill leaders and stop the API server with the payload's timings, which takes minutes. test/integration does so
// with shorter timings.
//
// It does not start managers and asserts nothing. The tests do.
package leadership
