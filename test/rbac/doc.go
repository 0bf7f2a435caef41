// Package rbac holds the roles that the payload ships for the manager against what the manager asked of real API servers: a
// right that nothing used is one too many, a request that was denied is one too few.
//
// Environments of the integration and end-to-end suites call Collect, which sums up an audit log as a small file; a test
// reads the files of a whole run. It knows nothing of what the requests are good for, and starts nothing itself.
package rbac
