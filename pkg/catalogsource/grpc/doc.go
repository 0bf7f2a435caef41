// Package grpc reads one catalog of OLM v0 over operator-registry's API, in plaintext as OLM does, and returns only the packages that the
// caller wants. It does not know about CatalogSource objects, trust or other catalogs. It never returns a partial catalog: a broken stream
// is an error. The catalogs controller calls it.
//
// What the protocol does not carry, compared with the same content over catalogd's API:
//   - The streamed list leaves the ClusterServiceVersion out where a bundle has an image, and olm.csv.metadata always,
//     so install modes and minKubeVersion cost one more call for every bundle of a wanted package.
//   - A list of install modes that is there and empty reads as no list.
//   - Channels without entries, and packages without bundles, cannot be seen.
//   - There is nothing like Last-Modified: whether a catalog has changed is found by reading it again.
//   - Properties of packages and of channels are not in these calls.
//   - Blobs of schemas other than OLM's are asked for by their whole schema, for each package, of operator-registry 1.69 and
//     later: upgrade rules of a future version of their schema (upgradeSchemas) are not seen. From an
//     older server, upgrade rules are known where a bundle has them as a property; of the other packages a note says so.
//
// Servers refuse content that is not a valid graph (unknown replaces, channel entries without a bundle, versions that are
// no semver), where catalogd serves it as it is.
package grpc
