// Package steady counts the requests of an idle manager in the API server's audit log. Its tests require that an idle manager sends no
// requests to the API server for minutes, and that a restarted manager sends none to a registry that is down. The benchmarks also use the
// package.
//
// Watches and requests for leases are counted separately, because an idle manager needs them.
package steady
