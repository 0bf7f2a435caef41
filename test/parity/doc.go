// Package parity compares the responses of two API servers to one table of requests. One is a real kube-apiserver, whose responses are
// recorded. The other is the API server in memory that the scenarios use (pkg/scenario).
//
// The folder requests contains the table, with a file for each sequence of requests. The folder recordings contains the responses of a real
// API server. differences.yaml lists where the API server in memory may respond differently, with the reason. After a change to the table
// or to the Kubernetes version, record again and review the diff:
//
//	go test ./test/integration -ginkgo.focus='OM-9\]' -args -update-parity
//
// Placeholders replace the values that change from run to run, so that recordings can be compared; see Answer.
package parity
