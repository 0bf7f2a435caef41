// Package localcatalog serves a folder of file-based catalogs from loopback addresses of one process: by operator-registry's gRPC server
// without TLS, by catalogd's HTTPS API with a certificate authority of its own, and the bundles as OCI images in a registry without TLS.
// It rewrites every image reference of the catalog to that registry, which answers 404 for other images. A reader of the catalog therefore
// contacts no public host.
//
// It does not know clusters or the manager. Tests, the demo and the localcatalog command start it and write its addresses to the cluster.
package localcatalog
