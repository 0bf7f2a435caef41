// Package deadcode tests that the commands reach every function of pkg/. It is a module of its own, so that the deadcode tool is
// not a dependency of the main module. "make lint" runs it.
package deadcode
