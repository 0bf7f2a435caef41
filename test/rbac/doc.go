// Package rbac compares the manager's shipped roles with the requests that the manager sent to real API servers. An unused right or a
// denied request is an error.
//
// The integration and end-to-end suites call Collect, which summarizes an audit log in a small file. A test reads the files of a whole
// run. The package starts neither a manager nor an API server.
package rbac
