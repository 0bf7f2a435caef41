// Package cvo applies a folder of manifests as the cluster-version operator does: in the order of file names, merging each manifest into
// the live object by the CVO's rule for its kind. It returns the writes, so that a test can require that there are none. If a manifest
// lacks a field that the API server adds, the CVO may update its object every few minutes.
//
// The CVO compares some fields by their meaning. This package compares them literally, which is stricter.
package cvo
