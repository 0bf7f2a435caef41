// Package alerts tries the alerts of manifests/ in Prometheus' own engine: what each looks at over time, when it fires, and that
// it does not a minute before, nor any longer than it should. It knows nothing of the manager: that the metrics and the labels
// exist is held by test/docs. It is a module of its own, so that Prometheus never enters the main module's dependencies;
// "make test-alerts" runs it.
package alerts
