// Package localcatalog serves a directory of file-based catalogs the way a cluster has them, from loopback addresses of
// one process: operator-registry's own gRPC server in plaintext, catalogd's HTTPS API below a self-made certificate
// authority, and the bundle directories as OCI images in a plain http registry. Every image reference of the catalog is
// rewritten to that registry, which answers 404 for what it does not have, so nothing that reads the catalog can dial a
// public host. It knows nothing of clusters or of this project's manager: tests, the demo and the localcatalog command
// start it and tell the cluster its addresses.
package localcatalog
