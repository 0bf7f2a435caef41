// Command apilint runs kube-api-linter on pkg/apis with settings.yaml, which lists the linters and the exceptions. It is a separate module,
// so that the linter is not a dependency of the main module. "make lint" runs it.
package main
