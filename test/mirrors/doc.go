// Package mirrors compares pkg/mirrors with the library with which CRI-O reads registries.conf. It is a module of its own, because nothing
// else needs the library's dependencies.
package mirrors
