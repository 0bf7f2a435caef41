package resolve

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
)

// catalogSelection holds the catalogs from which a request may take its package. Its lists are sorted by priority, highest first, then by
// catalog.
type catalogSelection struct {
	// permitted holds the catalogs that match the manager's selector, and excluded holds the others. selected holds the permitted catalogs
	// that match the operator's own selector.
	permitted, excluded, selected []Catalog
	// offering holds the selected catalogs that have the package, and unread holds those that could not be read.
	offering, unread []Catalog
	// unlisted holds the kinds of catalogs that could not be listed. If it is not empty, more catalogs may exist.
	unlisted []string
}

func selectCatalogs(req Request, catalogs []Catalog) catalogSelection {
	var found catalogSelection
	for _, c := range slices.SortedFunc(slices.Values(catalogs), func(a, b Catalog) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), a.ID.Compare(b.ID))
	}) {
		visible := visibleLabels(c)
		if !req.isPermitted(visible) {
			found.excluded = append(found.excluded, c)
			continue
		}
		found.permitted = append(found.permitted, c)
		if req.Selector != nil && !req.Selector.Matches(visible) {
			continue
		}
		found.selected = append(found.selected, c)
		switch {
		case c.Err != nil:
			found.unread = append(found.unread, c)
		case c.Package != nil:
			found.offering = append(found.offering, c)
		}
	}
	return found
}

// Selects reports whether the request takes packages from a catalog. The catalog need not have the package.
func (r Request) Selects(c Catalog) bool {
	visible := visibleLabels(c)
	return r.isPermitted(visible) && (r.Selector == nil || r.Selector.Matches(visible))
}

// isPermitted reports whether ManagerSelector matches the labels of a catalog that visibleLabels returns. A nil selector matches every
// catalog.
func (r Request) isPermitted(visible labels.Set) bool {
	return r.ManagerSelector == nil || r.ManagerSelector.Matches(visible)
}

// visibleLabels returns the labels that selectors can match: the catalog's own labels, and up to three labels that identify the catalog.
// The identifying labels cannot be forged: they replace own labels with the same keys.
func visibleLabels(c Catalog) labels.Set {
	set := labels.Set{}
	for key, value := range c.Labels {
		set[key] = value
	}
	set[platformv1alpha1.LabelCatalogKind] = c.ID.Kind
	set[platformv1alpha1.LabelCatalogNamespace] = c.ID.Namespace
	set[platformv1alpha1.LabelCatalogName] = c.ID.Name
	if c.ID.Namespace == "" {
		delete(set, platformv1alpha1.LabelCatalogNamespace)
	}
	return set
}

// problem returns the reason why no catalog has the package; nil if one has it.
func (f catalogSelection) problem(req Request) reason.Reason {
	missing := reason.NoCandidate{Package: req.Package}
	excluded := reason.Excluded{Catalogs: idsOf(f.excluded)}
	if req.ManagerSelector != nil {
		excluded.Selector = req.ManagerSelector.String()
	}
	switch {
	case len(f.permitted) == 0 && len(f.excluded) == 0 && len(f.unlisted) > 0:
		missing.Causes = reason.Sentences{reason.Unlisted{Kinds: f.unlisted}}
	case len(f.permitted) == 0 && len(f.excluded) == 0:
		missing.Causes = reason.Sentences{reason.NoCatalog{}}
	case len(f.permitted) == 0:
		excluded.All = true
		missing.Causes = reason.Sentences{excluded}
	case len(f.selected) == 0:
		missing.Causes = reason.Sentences{reason.NoneSelected{Selector: req.Selector.String(), Catalogs: idsOf(f.permitted), Labels: visibleLabels(f.permitted[0]).String()}, excluded}
	case len(f.offering) > 0:
		return nil
	case len(f.unread) == len(f.selected):
		missing.Causes = reason.Sentences{reason.NoneRead{Unread: f.unreadReason(false)}, excluded}
	default:
		read := slices.DeleteFunc(slices.Clone(f.selected), func(c Catalog) bool { return c.Err != nil })
		missing.Causes = reason.Sentences{reason.NotFound{Catalogs: idsOf(read)}, f.unreadReason(false), excluded}
	}
	return missing
}

// pending returns a catalog that has not been read yet and has at least the given priority; false if there is none.
func (f catalogSelection) pending(priority int) (catalog.ID, bool) {
	for _, c := range f.unread {
		if c.Pending && c.Priority >= priority {
			return c.ID, true
		}
	}
	return catalog.ID{}, false
}

// hasPending reports whether a catalog has not been read yet.
func (f catalogSelection) hasPending() bool {
	return slices.ContainsFunc(f.unread, func(c Catalog) bool { return c.Pending })
}

// unreadReason returns a reason that names the catalogs that could not be read, with the errors. If namesOnly is true, its text omits the
// errors.
func (f catalogSelection) unreadReason(namesOnly bool) reason.Unread {
	unread := reason.Unread{UnlistedKinds: f.unlisted, NamesOnly: namesOnly}
	for _, c := range f.unread {
		unread.Catalogs = append(unread.Catalogs, reason.UnreadCatalog{ID: c.ID, Err: c.Err.Error()})
	}
	return unread
}

// unavailable returns a sentence for each selected catalog that could not be read for some time.
func (f catalogSelection) unavailable() []string {
	var unavailable []reason.UnavailableCatalog
	for _, c := range f.selected {
		if c.Unavailable {
			unavailable = append(unavailable, reason.UnavailableCatalog{ID: c.ID, HasContent: c.Err == nil})
		}
	}
	return reason.Unavailable(unavailable)
}

// notes returns the catalogs' notes about the package, sorted. A note names information that the protocol used to read the catalog does not
// provide.
func (f catalogSelection) notes() []string {
	var notes []string
	for _, offer := range f.offering {
		for _, note := range offer.Package.Notes {
			notes = append(notes, reason.Text(reason.Note{ID: offer.ID, Text: note}))
		}
	}
	slices.Sort(notes)
	return notes
}

// faults returns the first fault in each catalog's content for the package. It omits catalogs without faults.
func (f catalogSelection) faults() (faults reason.Faults) {
	for _, offer := range f.offering {
		if len(offer.Package.Faults) > 0 {
			faults = append(faults, reason.CatalogText{ID: offer.ID, Text: offer.Package.Faults[0]})
		}
	}
	return faults
}

func idsOf(catalogs []Catalog) []catalog.ID {
	ids := make([]catalog.ID, len(catalogs))
	for i, c := range catalogs {
		ids[i] = c.ID
	}
	return ids
}
