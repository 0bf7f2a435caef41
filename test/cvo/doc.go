// Package cvo applies a folder of manifests as the cluster-version operator does: in the order of file names, merging each manifest into
// the live object by the CVO's rule for the kind. It returns the writes, so that a test can require that a second run has none. The reason:
// if a manifest lacks a field that the API server adds, the CVO may update the object every few minutes.
//
// The CVO compares some fields semantically. This package compares them literally, which is stricter.
package cvo
