// Package catalogsource stores the content of the cluster's catalogs (Snapshots). It reports which packages changed in a new read, and
// keeps the last content of a catalog that cannot be read. For unwanted packages it stores only the kinds that they provide. The two
// protocols are in its subpackages grpc and http, which return equal packages for equal content. The package does not decide when to read,
// which catalogs are trusted or which packages are needed: the catalogs controller decides that and writes the Snapshots. Other controllers
// read them with For.
package catalogsource
