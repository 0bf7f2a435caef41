// Package http reads one catalog of OLM v1 over catalogd's HTTPS API and returns only the packages that the caller wants. It requests few
// packages one by one if the server supports that, and otherwise reads a stream of the whole catalog. It does not depend on ClusterCatalog
// objects, trust or other catalogs. It never returns a partial catalog: a truncated response, or a catalog that changes between two
// requests, is an error. The catalogs controller calls it.
package http
