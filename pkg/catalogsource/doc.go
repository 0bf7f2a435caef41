// Package catalogsource keeps what was read from the cluster's catalogs (Snapshots), says of which packages a new reading
// says something else, and keeps the last good content of a catalog that cannot be read any more. Of packages that nobody wants
// they know which kinds they bring. The two protocols are
// in its folders grpc and http, and give equal packages for equal content. It does not know when to read, which catalogs
// are trusted or what a package is needed for: the catalogs controller fills it, others look into it through For.
package catalogsource
