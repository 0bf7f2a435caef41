// Package catalogsource holds the content of the cluster's catalogs (Snapshots). It reports which packages change with a new read, and
// keeps the last content of a catalog that cannot be read. For unwanted packages it holds only the kinds that they provide. The two
// protocols are in its subpackages grpc and http, and return equal packages for equal content. The package does not know when to read,
// which catalogs are trusted or what a package is needed for: the catalogs controller writes it, and others read it with For.
package catalogsource
