package catalog

import (
	"cmp"
	"slices"
	"sort"
)

// Kinds of catalog objects on a cluster.
const (
	// KindCatalogSource is the catalog kind of OLM v0: namespaced, and served over gRPC.
	KindCatalogSource = "CatalogSource"
	// KindClusterCatalog is the catalog kind of OLM v1: cluster-scoped, and served over HTTPS.
	KindClusterCatalog = "ClusterCatalog"
)

// ID identifies one catalog object in the cluster. The zero value identifies none. Namespace is empty for a ClusterCatalog.
type ID struct {
	Kind, Namespace, Name string
}

// String returns "CatalogSource/<namespace>/<name>" or "ClusterCatalog/<name>", as in the API's status.
func (id ID) String() string {
	if id.Namespace == "" {
		return id.Kind + "/" + id.Name
	}
	return id.Kind + "/" + id.Namespace + "/" + id.Name
}

// Compare orders IDs by kind, namespace and name.
func (id ID) Compare(other ID) int {
	return cmp.Or(
		cmp.Compare(id.Kind, other.Kind),
		cmp.Compare(id.Namespace, other.Namespace),
		cmp.Compare(id.Name, other.Name),
	)
}

// Package is one operator package in one catalog. All lists are sorted by name, so that packages with equal content are equal values. The
// order of the versions in a channel follows from the edges of its entries and the versions of the bundles, never from the order of a list.
type Package struct {
	Name string
	// DefaultChannel is empty if the catalog has none.
	DefaultChannel string
	Channels       []Channel
	Bundles        []Bundle
	// Deprecated is the catalog's deprecation message, empty if the package is not deprecated. An empty message in the catalog becomes
	// "deprecated". Messages are truncated to 1,024 bytes. The same applies to channels and bundles.
	Deprecated string
	// UpgradeRules are the author's upgrade rules, from blobs of their own and from properties of bundles. Rules that are equal JSON values
	// are in the list once. At most 8 are retained; more are a fault.
	UpgradeRules []UpgradeRules
	// Faults are sentences about unusable blobs of this package, sorted: at most 10, and one that gives the number of the others. Channels
	// and Bundles do not include the unusable blobs.
	Faults []string
	// Notes are sentences about information that the protocol used to read the package does not provide, sorted and limited like Faults.
	Notes []string
}

// Channel is one channel of a package, with its entries. Deprecated is as in Package.
type Channel struct {
	Name       string
	Entries    []Entry
	Deprecated string
}

// Entry is one bundle in a channel: the bundle's name and the edges that lead to the bundle. The catalog may lack the bundle, because a
// pruned catalog retains the names.
type Entry struct {
	Name      string   `json:"name"`
	Replaces  string   `json:"replaces"`
	Skips     []string `json:"skips"`
	SkipRange string   `json:"skipRange"`
}

// Bundle holds the part of a bundle in a catalog that version selection needs.
type Bundle struct {
	Name string
	// Image is the reference of the bundle's image, as in the catalog.
	Image string
	// Version is the version in the olm.package property, empty if there is none. It is not validated here.
	Version string
	// MaxOpenShiftVersions holds the value of every olm.maxOpenShiftVersion property as raw JSON text, so that an unquoted 4.10 stays 4.10.
	// Values beyond the eighth are omitted and long ones are truncated: two values, or a long one, are invalid in any case. A catalog that
	// was written as YAML has lost such a trailing zero before it is served.
	MaxOpenShiftVersions []string
	// MediaTypes are the formats of the image's content (olm.bundle.mediatype), sorted, without duplicates. A value that is not a string is
	// raw JSON. An empty list means registry+v1, as in nearly all bundles. Values beyond the eighth are omitted and long ones are
	// truncated: two values, or a long one, are invalid in any case.
	MediaTypes []string
	// MinKubeVersion is the CSV's minKubeVersion; empty if the catalog does not contain it.
	MinKubeVersion string
	// SuggestedNamespace is the install namespace that the CSV's author suggests; empty if the catalog does not contain it.
	SuggestedNamespace string
	// InstallModes maps each install mode that the CSV lists to whether the mode is supported; nil if the catalog does not contain the
	// list.
	InstallModes map[string]bool
	Deprecated   string
	// Release is the release in the olm.package property, for bundles that are rebuilt. It is not validated here.
	Release string
	// ProvidedGVKs are the kinds that the bundle provides (olm.gvk), sorted, without duplicates. Bundles with equal lists
	// share one.
	ProvidedGVKs []GVK
	// Requirements are the bundle's dependencies (olm.gvk.required, olm.package.required, olm.constraint), sorted, without duplicates. All
	// of them must be met.
	Requirements []Requirement
	// APIServices reports whether the bundle provides aggregated APIs.
	APIServices bool
	// CreatedAt is the value of the CSV's annotation createdAt, unparsed. It is empty if the catalog does not contain it or if it exceeds
	// 64 bytes.
	CreatedAt string
}

// Provides reports whether the bundle provides a kind.
func (b *Bundle) Provides(gvk GVK) bool {
	_, found := slices.BinarySearchFunc(b.ProvidedGVKs, gvk, GVK.Compare)
	return found
}

// Bundle returns the bundle with this name; false if the package has none.
func (p *Package) Bundle(name string) (Bundle, bool) {
	i := sort.Search(len(p.Bundles), func(i int) bool { return p.Bundles[i].Name >= name })
	if i == len(p.Bundles) || p.Bundles[i].Name != name {
		return Bundle{}, false
	}
	return p.Bundles[i], true
}

// Channel returns the channel with this name; false if the package has none.
func (p *Package) Channel(name string) (Channel, bool) {
	i := sort.Search(len(p.Channels), func(i int) bool { return p.Channels[i].Name >= name })
	if i == len(p.Channels) || p.Channels[i].Name != name {
		return Channel{}, false
	}
	return p.Channels[i], true
}
