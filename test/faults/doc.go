// Package faults makes things fail at a chosen moment, and says afterwards whether what should hold still holds.
//
// A Proxy stands in front of the API server, or of a registry, and passes everything on, watches and tokens too. A Fault
// that is injected into it picks requests (Match), of these the Nth, and says what becomes of it (Act): refused, reset,
// held, delayed, sent twice, its answer lost, the manager killed before or after it went through. The proxy records every
// write. Estate looks at the cluster as its admin: what belongs to a BundleDeployment, whether that is complete, without
// orphans, labelled and as declared, and whether it is gone. Witness watches, while faults strike, that status claims
// nothing that is not so.
//
// The package does not know what the manager should do about a fault, and asserts nothing by itself; the stories in
// test/faults/stories do. README.md shows how a story is written.
package faults
