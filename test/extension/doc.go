// Package extension tries the openshift-tests extension, which is in cmd/platform-operators-tests-ext, as
// openshift-tests would: as a program that is given a cluster and prints JSON. In its long test each of its specifications
// that changes something meets managers that lack the rule which it is about, and has to notice.
//
// It has tests only, and knows the specifications by their names.
package extension
