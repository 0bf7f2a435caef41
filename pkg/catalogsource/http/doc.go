// Package http reads one OLM v1 catalog over catalogd's HTTPS API and returns only the packages that the caller wants. If only a few
// packages are wanted and the server supports it, it requests them one by one; otherwise it reads a stream of the whole catalog. It does
// not depend on ClusterCatalog objects, trust or other catalogs. It never returns a partial catalog: a truncated response, or a catalog
// that changes between two requests, is an error. The catalogs controller calls it.
package http
