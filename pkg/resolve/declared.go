package resolve

import "github.com/openshift/platform-operators/pkg/compat"

// RunningBundle is a bundle that is installed or being installed.
type RunningBundle struct {
	// Bundle is the bundle's name. Catalog is the catalog that it was chosen from, in the format of catalog.ID.
	Bundle, Catalog string
	// SameImage reports whether an image that a catalog has under that name is the installed one: authors rebuild bundles.
	SameImage func(image string) bool
}

// DeclaredOf returns the olm.maxOpenShiftVersion that the selected catalogs declare for a bundle. The catalog that the bundle was chosen
// from decides, and nothing is known while it cannot be read. If it no longer has the bundle, the other readable catalogs decide, highest
// priority first.
func DeclaredOf(req Request, catalogs []Catalog, held RunningBundle) compat.Statement {
	found := selectCatalogs(req, catalogs)
	for _, c := range found.unread {
		if c.ID.String() == held.Catalog {
			return compat.Statement{}
		}
	}
	var said compat.Statement
	for _, c := range found.offering {
		bundle, has := c.Package.Bundle(held.Bundle)
		if !has || !held.SameImage(bundle.Image) {
			continue
		}
		its := compat.Statement{Known: true, Raw: bundle.MaxOpenShiftVersions}
		if c.ID.String() == held.Catalog {
			return its
		}
		if !said.Known && len(its.Raw) > 0 { // a bundle without a declaration does not revoke the one of its own catalog
			said = its
		}
	}
	return said
}
