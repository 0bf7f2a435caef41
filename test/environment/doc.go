// Package environment starts the processes that a platform operator needs, on loopback addresses: the local cluster with manifests/ applied
// as the CVO does, the local catalog as a CatalogSource and a ClusterCatalog, and the manager as a separate process under its
// ServiceAccount with the shipped roles.
//
// The demo, the benchmarks, and the integration, end-to-end and long tests use the package. It asserts nothing.
package environment
