// Package http reads one catalog of OLM v1 over catalogd's HTTPS API and keeps only the packages that the caller wants:
// package by package where they are few and the server can, else from the whole catalog as one stream. It does not know
// of ClusterCatalog objects, of trust or of other catalogs, and it never returns part of a catalog: an answer that breaks
// off, or a catalog that changes between two requests, is an error. The manager's catalog controller calls it.
package http
