// Package trial plays the steps of stories on clusters on which an operator runs, and compares what the clusters hold when the operator is
// at rest. Packages perturb and generate build on it.
//
// An Operator says how to start a System: a cluster in memory, the operator under test, and everything beside the cluster that the operator
// needs, such as a catalog. A Moment is what a System was at some time; another System can start from it. All functions run in
// testing/synctest bubbles, and all times are virtual.
package trial
