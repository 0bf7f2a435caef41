// Package steady counts the requests of an idle manager in the API server's audit log. Its tests require that an idle manager sends none
// for minutes, and that a manager sends none to a registry that is down while the manager restarts. The benchmarks also use the package.
//
// Watches and requests for leases are counted separately, because an idle manager needs them.
package steady
