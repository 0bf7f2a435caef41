// Command apilint runs kube-api-linter on pkg/apis with settings.yaml, which has the linters and the exceptions. It is a module
// of its own, so that the linter is no dependency of the main module. "make lint" runs it.
package main
