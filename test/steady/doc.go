// Package steady tells what a manager that has nothing to do does all the same: every request that it makes, from the API
// server's audit log. Its tests hold the manager to nothing at all over minutes, and through a restart with the registries
// down; the benchmarks use it to count.
//
// It does not judge what a request was for. Watches are not requests that cost anything while nothing happens, so that they
// are counted apart, and so are leases.
package steady
