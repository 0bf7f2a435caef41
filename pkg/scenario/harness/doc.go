// Package harness plays the steps of stories on clusters with a running operator, and compares the objects of these clusters when the
// operator is at rest. Packages perturb and generate build on it.
//
// An Operator describes how to start a System: a cluster in memory, the operator under test, and the external services that the operator
// uses, such as a catalog. A Checkpoint is a copy of a System at one time, from which other Systems start. All functions run in
// testing/synctest bubbles, and all times are virtual.
package harness
