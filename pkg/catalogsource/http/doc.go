// Package http reads one catalog of OLM v1 over catalogd's HTTPS API and returns only the packages that the caller wants: one by one if
// they are few and the server supports it, otherwise from a stream of the whole catalog. It does not know about ClusterCatalog objects,
// trust or other catalogs. It never returns a partial catalog: a truncated response, or a catalog that changes between two requests, is an
// error. The catalogs controller calls it.
package http
