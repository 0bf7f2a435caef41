// Package applyconfiguration runs the manager's controllers once on a directory of objects, without a cluster, and writes the mutations that
// they send into another directory. It implements the command apply-configuration of OpenShift Manager (multi-operator-manager), which
// defines the flags, and the layouts and types of both directories.
//
// The controllers see only the objects in the input directory, and keep nothing in memory from one run to the next. Where objects record when
// a period began, such as the start of a rollout, the period begins then, and not with the process. A back-off is the longest one.
package applyconfiguration
