// Package catalog says what can be installed: packages, their channels and their bundles, read from a file-based
// catalog stream or put together by a reader of another protocol (Builder).
//
// A catalog of 130 MB becomes the few kilobytes that choosing a version needs: only the packages that the caller wants
// are kept, and of those only what decides (names, images, versions, channel entries, declared limits, kinds brought and
// required, deprecations, the author's upgrade rules). Of all others it can say which kinds they bring (Providers). Equal content gives equal values, in whatever order it came, so that
// "has this package changed" is one comparison.
//
// The package does not know where catalogs are, how they are fetched, what a version means, what upgrade rules say or which
// bundle is the right one. The catalog readers (pkg/catalogsource) call it; pkg/resolve decides on what it returns.
package catalog
