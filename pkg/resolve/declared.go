package resolve

import "github.com/openshift/platform-operators/pkg/compat"

// RunningBundle is a bundle that is installed or being installed.
type RunningBundle struct {
	// Bundle is the bundle's name. Catalog is the catalog from which the bundle was chosen, in the format of catalog.ID.
	Bundle, Catalog string
	// SameImage reports whether an image is the bundle's image. Authors rebuild bundles, so a catalog may have a different image for the
	// same bundle name.
	SameImage func(image string) bool
}

// DeclaredOf returns the olm.maxOpenShiftVersion that the selected catalogs declare for a bundle. The declaration in the catalog from which
// the bundle was chosen takes precedence; while that catalog cannot be read, the Statement is unknown. If that catalog does not have the
// bundle, the first declaration in the other readable catalogs applies, highest priority first.
func DeclaredOf(req Request, catalogs []Catalog, running RunningBundle) compat.Statement {
	found := selectCatalogs(req, catalogs)
	for _, c := range found.unread {
		if c.ID.String() == running.Catalog {
			return compat.Statement{}
		}
	}
	var declared compat.Statement
	for _, c := range found.offering {
		bundle, has := c.Package.Bundle(running.Bundle)
		if !has || !running.SameImage(bundle.Image) {
			continue
		}
		statement := compat.Statement{Known: true, Raw: bundle.MaxOpenShiftVersions}
		if c.ID.String() == running.Catalog {
			return statement
		}
		if !declared.Known && len(statement.Raw) > 0 { // another catalog without a declaration revokes nothing
			declared = statement
		}
	}
	return declared
}
