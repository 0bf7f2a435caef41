// Package steady counts the requests that an idle manager sends, from the API server's audit log. Its tests require that there are none for
// minutes, and none to registries after a restart while these are down. The benchmarks use it, too.
//
// Watches and requests for leases are counted separately, because an idle manager needs them.
package steady
