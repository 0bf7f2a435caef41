// Package catalog represents the content of catalogs: packages, their channels and their bundles. It reads them from a file-based catalog
// stream, or builds them for a reader of a different protocol (Builder).
//
// From a catalog of 130 MB, it retains the few kilobytes that version selection needs: only the packages that the caller wants, and for
// those only names, images, versions, channel entries, declared limits, provided and required kinds, deprecations and the author's upgrade
// rules. For all other packages it records which kinds they provide (Providers). Equal content results in equal values, in whatever order
// it arrives, so one comparison detects a changed package.
//
// The package does not know where catalogs are, how they are fetched, what a version means, what upgrade rules mean or which bundle to
// choose. The catalog readers (pkg/catalogsource) call it; pkg/resolve uses the result.
package catalog
