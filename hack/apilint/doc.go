// Command apilint runs kube-api-linter over pkg/apis with the settings of settings.yaml, which also names the exceptions. It is a module
// of its own, so that the linter stays out of the main module's dependencies. "make lint" runs it.
package main
