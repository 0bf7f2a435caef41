// Package applyconfiguration runs the manager's controllers once on a directory of objects, without a cluster, and writes the mutations that
// they want into another directory. It is the apply-configuration command of OpenShift Manager (multi-operator-manager): the layouts, the
// flags and the types of both directories are that component's.
//
// The controllers see the objects in the input directory only. They keep no memory from one run to the next. Periods that a process would
// measure from its start begin with what the objects record, such as the start of a rollout, and a back-off is the longest one.
package applyconfiguration
