// Package parity compares API servers by one table of requests: a real kube-apiserver, whose answers are recorded, and the one in
// memory that stories run on (pkg/scenario).
//
// The folder requests has the table, a file for each sequence of requests. The folder recordings has what a real API server answered.
// differences.yaml lists where the server in memory may answer otherwise, and why. Record again after a change of the table or of the
// Kubernetes version, and read the diff:
//
//	go test ./test/integration -ginkgo.focus='OM-9\]' -args -update-parity
//
// What changes from run to run is replaced by names (see Answer), so that recordings can be compared.
package parity
