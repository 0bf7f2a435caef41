// Package grpc reads one catalog of OLM v0 over operator-registry's API, in plaintext as OLM does, and returns only the packages that the
// caller wants. It does not depend on CatalogSource objects, trust or other catalogs. It never returns a partial catalog: a broken stream
// is an error. The catalogs controller calls it.
//
// Compared with the same content over catalogd's API, the protocol has the following gaps:
//   - The streamed list omits the ClusterServiceVersion of a bundle that has an image, and always omits olm.csv.metadata.
//     Therefore install modes and minKubeVersion take one more call for every bundle of a wanted package.
//   - An empty list of install modes is read as no list.
//   - Channels without entries and packages without bundles are not listed.
//   - There is no Last-Modified: only another read shows whether a catalog has changed.
//   - Properties of packages and of channels are not in these calls.
//   - Blobs of schemas other than OLM's are requested by the complete name of their schema, for each package, from
//     operator-registry 1.69 and later. Upgrade rules of versions that are not in upgradeSchemas are not read. From an older
//     server, only upgrade rules that are properties of bundles are read; the other packages get a note.
//
// Servers reject content that is not a valid graph (unknown replaces, channel entries without a bundle, versions that are not semantic),
// while catalogd serves it unchanged.
package grpc
