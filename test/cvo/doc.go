// Package cvo applies a folder of manifests as the cluster-version operator does: in the order of file names, each merged into the
// live object by the CVO's rule for its kind. It returns the writes, so that a test can require that there are none: the CVO would write
// again every few minutes if a manifest lacked a field that the API server adds.
//
// The CVO compares some fields by their meaning. This package compares them literally, which is stricter.
package cvo
