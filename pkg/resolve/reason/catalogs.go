package reason

import (
	"fmt"
	"slices"
	"strings"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/ocplatform"
)

// NoCandidate reports that no catalog has the package, and why.
type NoCandidate struct {
	Package string
	Causes  Sentences
}

// text keeps the beginning of this message unchanged, because users of the TechPreview of OpenShift 4.12 to 4.15 search for it.
func (r NoCandidate) text() string {
	return fmt.Sprintf("failed to find candidate for package %q: ", r.Package) + r.Causes.text()
}

// NoCatalog reports that the cluster has no trusted catalog.
type NoCatalog struct{}

func (NoCatalog) text() string {
	return "the cluster has no trusted catalog: create a CatalogSource in a trusted namespace, or a ClusterCatalog"
}

// Excluded names the catalogs that the PlatformOperatorManager's selector excludes. All reports whether the selector excludes every
// catalog.
type Excluded struct {
	Selector string
	Catalogs []catalog.ID
	All      bool
}

func (r Excluded) text() string {
	if len(r.Catalogs) == 0 {
		return ""
	}
	text := fmt.Sprintf("spec.catalogSelector %s of PlatformOperatorManager %q leaves out %s",
		fmt.Sprintf("%q", Clip(r.Selector, MaxCause)), operatorv1alpha1.PlatformOperatorManagerName, names(r.Catalogs))
	if r.All {
		text += ", and there is no other catalog: widen the selector there, or label a catalog so that it is selected"
	}
	return text
}

// NoneSelected reports that an operator's selector matches no catalog.
type NoneSelected struct {
	Selector string
	Catalogs []catalog.ID
	// Labels are the labels of the first catalog; the operator's selector could use them to select it.
	Labels string
}

func (r NoneSelected) text() string {
	text := fmt.Sprintf("spec.package.catalogSelector %q selects none of the catalogs %s", r.Selector, names(r.Catalogs))
	if len(r.Catalogs) == 0 {
		return text
	}
	return text + fmt.Sprintf("; for example, %s has the labels %s", r.Catalogs[0], Clip(r.Labels, MaxCause))
}

// NoneRead reports that no catalog could be read.
type NoneRead struct{ Unread Unread }

func (r NoneRead) text() string { return "no catalog could be read: " + r.Unread.text() }

// NotFound names the catalogs that do not contain the package.
type NotFound struct{ Catalogs []catalog.ID }

func (r NotFound) text() string {
	return fmt.Sprintf("it is not in %s; create a PlatformOperator with the right spec.package.name (%s lists the packages), or add a catalog "+
		"that has the package", names(r.Catalogs), ocplatform.Search.WithPlugin())
}

// UnreadCatalog is a catalog that could not be read.
type UnreadCatalog struct {
	ID  catalog.ID
	Err string
}

// Unread names the catalogs that were omitted because they could not be read, with the errors. If NamesOnly is set, the text does not
// depend on the errors.
type Unread struct {
	// UnlistedKinds are the kinds of catalogs that could not be listed.
	UnlistedKinds []string
	Catalogs      []UnreadCatalog
	NamesOnly     bool
}

func (r Unread) text() string {
	var parts, unread []string
	if len(r.UnlistedKinds) > 0 {
		parts = append(parts, Unlisted{r.UnlistedKinds}.text())
	}
	for _, c := range r.Catalogs {
		if r.NamesOnly {
			unread = append(unread, "catalog "+c.ID.String())
			continue
		}
		parts = append(parts, fmt.Sprintf("catalog %s was left out: %s", c.ID, Clip(c.Err, maxUnread)))
	}
	if len(unread) > 0 {
		parts = append(parts, list(unread, ", ", maxFaults)+" could not be read")
	}
	return list(parts, "; ", maxFaults)
}

// Unlisted reports that some kinds of catalogs could not be listed.
type Unlisted struct{ Kinds []string }

func (r Unlisted) text() string { return Plurals(r.Kinds) + " could not be listed" }

// Plurals returns kinds of objects in the plural, such as "CatalogSources and ClusterCatalogs".
func Plurals(kinds []string) string { return strings.Join(kinds, "s and ") + "s" }

// UnavailableCatalog is a catalog that could not be read for some time. It holds no error, because the error may differ at each attempt.
type UnavailableCatalog struct {
	ID catalog.ID
	// HasContent reports whether the content that was last read from the catalog is used.
	HasContent bool
}

func (r UnavailableCatalog) text() string {
	what := "is left out, because it cannot be read"
	if r.HasContent {
		what = "cannot be read, and its last content is used"
	}
	where := "its status"
	if r.ID.Kind == catalog.KindCatalogSource {
		where = "its status and its pod"
	}
	return fmt.Sprintf("catalog %s %s: look at %s, and at the manager's log", r.ID, what, where)
}

// Unavailable returns a sentence for each catalog, sorted. If there are more than MaxUnavailable, it returns that many, and one more
// sentence with the number of the others.
func Unavailable(catalogs []UnavailableCatalog) []string {
	var sentences []string
	for _, each := range catalogs {
		sentences = append(sentences, each.text())
	}
	slices.Sort(sentences)
	if more := len(sentences) - MaxUnavailable; more > 0 {
		sentences = append(sentences[:MaxUnavailable:MaxUnavailable], fmt.Sprintf("and %d catalogs more cannot be read", more))
	}
	return sentences
}

// Faults reports, for each catalog, the first fault in its content for the package.
type Faults []CatalogText

// CatalogText is a text about a catalog.
type CatalogText struct {
	ID   catalog.ID
	Text string
}

func (r Faults) text() string {
	var parts []string
	for _, each := range r {
		parts = append(parts, fmt.Sprintf("%s has faults in this package: %s", each.ID, Clip(each.Text, MaxCause)))
	}
	return list(parts, "; ", maxFaults)
}

// Note names information about the package that the protocol used to read the catalog does not provide.
type Note CatalogText

func (r Note) text() string { return fmt.Sprintf("%s: %s", r.ID, Clip(r.Text, MaxCause)) }

// UpgradeRules says where a catalog contains a package's upgrade rules.
type UpgradeRules struct {
	Where, Package string
	Catalog        catalog.ID
}

func (r UpgradeRules) text() string {
	return fmt.Sprintf("%s of package %q in catalog %s", Clip(r.Where, MaxCause), r.Package, r.Catalog)
}

// UnreadableUpgradeRules reports that upgrade rules cannot be used, with the error.
type UnreadableUpgradeRules struct {
	Rules UpgradeRules
	Err   string
}

func (r UnreadableUpgradeRules) text() string { return r.Rules.text() + ": " + Clip(r.Err, MaxCause) }

// SeveralUpgradeRules reports that a catalog contains several sets of upgrade rules for a package, with their number and two of their
// locations.
type SeveralUpgradeRules struct {
	Catalog       catalog.ID
	Package       string
	Count         int
	First, Second string
}

func (r SeveralUpgradeRules) text() string {
	return fmt.Sprintf("catalog %s has %d different ones of package %q: %s, and %s",
		r.Catalog, r.Count, r.Package, Clip(r.First, MaxCause), Clip(r.Second, MaxCause))
}
