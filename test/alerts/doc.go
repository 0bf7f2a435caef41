// Package alerts tests the alerts of manifests/ in Prometheus' engine: when each fires, that it does not fire a minute earlier, and that it
// ends in time. It does not run the manager; test/docs tests that the metrics and labels exist. It is a module of its own, which keeps
// Prometheus out of the main module's dependencies. "make test-alerts" runs it.
package alerts
