package resolve

import "github.com/openshift/platform-operators/pkg/compat"

// RunningBundle is a bundle that is installed, or being moved to.
type RunningBundle struct {
	// Bundle is its name, and Catalog the one that it was chosen from, as catalog.ID prints it.
	Bundle, Catalog string
	// SameImage says whether an image that a catalog has under that name is the one that is meant: authors rebuild bundles.
	SameImage func(image string) bool
}

// DeclaredOf is what the selected catalogs say now of the olm.maxOpenShiftVersion of a bundle: the catalog that it was chosen
// from, and where that has it no more, the others that can be read and declare something, those of the highest priority first.
// While that catalog cannot be read, nothing is known.
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
