// Package deadcode tests that the commands reach every function of pkg/. It is a module of its own, so that the tool that finds the others
// is no dependency of the main module. "make lint" runs it.
package deadcode
