// Package mirrors compares pkg/mirrors and the verification of signatures with CRI-O's library: with how it reads registries.conf, and with what
// it accepts by a policy. It is a module of its own, because nothing else needs the library's dependencies. It has a later version of the library
// than the manager, whose policy engine is part of the library.
package mirrors
