// Package grpc reads one catalog of OLM v0 over operator-registry's API, in plaintext as OLM itself dials it, and keeps
// only the packages that the caller wants. It does not know of CatalogSource objects, of trust or of other catalogs, and
// it never returns part of a catalog: a stream that breaks is an error. The manager's catalog controller calls it.
//
// What the protocol does not carry, compared with the same content over catalogd's API:
//   - The streamed list leaves the ClusterServiceVersion out where a bundle has an image, and olm.csv.metadata always,
//     so install modes and minKubeVersion cost one more call for every bundle of a wanted package.
//   - A list of install modes that is there and empty reads as no list.
//   - Channels without entries, and packages without bundles, cannot be seen.
//   - There is nothing like Last-Modified: whether a catalog has changed is found by reading it again.
//   - Properties of packages and of channels, and schemas other than OLM's, are not in these calls. Deprecations are, but
//     are not kept yet.
//
// Servers refuse content that is not a valid graph (unknown replaces, channel entries without a bundle, versions that are
// no semver), where catalogd serves it as it is.
package grpc
