// Package extension tests cmd/platform-operators-tests-ext as openshift-tests runs it: as a program that gets a kubeconfig and prints JSON.
// For each spec that changes objects, a long test runs the spec against a manager that lacks the rule under test. The spec must then fail.
//
// The package contains only tests, and refers to the specs by name.
package extension
