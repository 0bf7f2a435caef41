// Package rbac compares the manager's shipped roles, and its declared inputs and outputs, with the requests that the manager sent to API
// servers. An unused right, an unused declaration, a denied request or an undeclared request is an error.
//
// The integration and end-to-end suites call Collect, which summarizes an audit log in a small file. A test reads the files of a whole
// run. The package starts neither a manager nor an API server.
package rbac
