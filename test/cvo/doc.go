// Package cvo applies a folder of manifests as the cluster-version operator does: in the order of file names, and merging each into
// what is there by the rule that the CVO has for its kind. It says what it had to write, so that a test can ask for nothing: whatever
// the API server adds to an object and a manifest leaves out would be written again every few minutes, for ever.
//
// Where the CVO compares what two objects mean, this package compares what they say, which is stricter: a manifest that stands
// here stands there. It does not know what the manifests are for; test/environment and tests of the payload call it.
package cvo
