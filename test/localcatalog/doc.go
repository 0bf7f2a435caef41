// Package localcatalog serves file-based catalogs on loopback addresses: over operator-registry's gRPC API without TLS, and over catalogd's
// HTTPS API with its own certificate authority. It serves the bundles as OCI images from a registry without TLS. It rewrites every image
// reference in the catalog to that registry, which responds with 404 to requests for other images. Therefore a reader of the catalog
// contacts no public host.
//
// The package depends on neither a cluster nor the manager. Tests, the demo and the localcatalog command start it and write its addresses
// to the cluster.
package localcatalog
