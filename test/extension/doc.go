// Package extension tests cmd/platform-operators-tests-ext as openshift-tests runs it: as a program that gets a kubeconfig and
// prints JSON. A long test runs each spec that changes objects against a manager without the rule that the spec tests. The spec
// has to fail.
//
// The package has tests only, and refers to the specs by name.
package extension
