// Package environment starts everything that a platform operator needs, for real and on loopback only: the local cluster
// with manifests/ applied as the CVO would, the local catalog as a CatalogSource and a ClusterCatalog, and the manager as a
// process of its own, under its own ServiceAccount with the roles that the payload ships.
//
// The demo, the integration, end-to-end and long tests and the benchmarks are its callers. It asserts nothing.
package environment
