// Package parity tests that the API server in memory, which the scenarios use (pkg/scenario), responds like a real kube-apiserver. It sends
// a table of requests to the API server in memory, and compares the responses with the recorded responses of a kube-apiserver.
//
// The folder requests contains the table, with a file for each sequence of requests. The folder recordings contains the responses of a real
// API server. differences.yaml lists where the API server in memory may respond differently, and why. After a change to the table or to the
// Kubernetes version, record again and review the diff:
//
//	go test ./test/integration -ginkgo.focus='OM-9\]' -args -update-parity
//
// Placeholders replace the values that change from run to run, so that responses can be compared; see Answer.
package parity
