package catalog

import (
	"cmp"
	"slices"
	"sort"
)

// Kinds of catalog objects on a cluster.
const (
	// KindCatalogSource is OLM v0's kind, namespaced, served over gRPC.
	KindCatalogSource = "CatalogSource"
	// KindClusterCatalog is OLM v1's kind, cluster-scoped, served over HTTPS.
	KindClusterCatalog = "ClusterCatalog"
)

// ID names one catalog object of the cluster. The zero value names none.
type ID struct {
	Kind, Namespace, Name string
}

// String is "CatalogSource/<namespace>/<name>" or "ClusterCatalog/<name>", as the API writes it in status.
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

// Package is one operator package as one catalog has it. All lists are sorted by name, so that equal content is an equal
// value; the order of a channel's versions is in its entries' edges and in the bundles' versions, never in a list's order.
type Package struct {
	Name string
	// DefaultChannel is empty when the catalog names none.
	DefaultChannel string
	Channels       []Channel
	Bundles        []Bundle
	// Deprecated is what the catalog says to those who use the package; empty when it is not deprecated. A message that is
	// empty in the catalog is "deprecated". Messages are cut at 1,024 bytes. The same holds for channels and bundles.
	Deprecated string
	// UpgradeRules are the author's rules for moving from version to version, as they were found: as blobs of their own or
	// as properties of bundles. Equal ones (as JSON values) are one. At most 8 are kept, the rest is a fault.
	UpgradeRules []UpgradeRules
	// Faults are sentences about blobs of this package that could not be used, sorted, at most maxFaults and a last one
	// that counts the rest. What they name is not in Channels and Bundles.
	Faults []string
	// Notes are sentences about what the way on which the package was read does not tell of it, sorted and bounded like Faults.
	Notes []string
}

// Channel is one channel of a package and what is in it.
type Channel struct {
	Name       string
	Entries    []Entry
	Deprecated string
}

// Entry is one bundle's place in a channel: its name and the edges that lead to it. The bundle itself may be missing
// from the catalog (a pruned catalog keeps the names).
type Entry struct {
	Name      string   `json:"name"`
	Replaces  string   `json:"replaces"`
	Skips     []string `json:"skips"`
	SkipRange string   `json:"skipRange"`
}

// Bundle is what a catalog says of one bundle, as far as choosing needs it.
type Bundle struct {
	Name string
	// Image is the reference of the bundle's image, as the catalog writes it.
	Image string
	// Version is what the olm.package property says; empty when there is none. It is not checked here.
	Version string
	// MaxOpenShiftVersions holds the value of every olm.maxOpenShiftVersion property as raw JSON text, so that an
	// unquoted 4.10 is still 4.10. Values beyond the eighth are not kept and long ones are cut: two values, or a long
	// one, are unreadable anyway. A catalog that was written as YAML has lost such a zero already before it was served.
	MaxOpenShiftVersions []string
	// MediaTypes are the formats that the catalog says the image's content is of (olm.bundle.mediatype), sorted, each once: raw JSON
	// where the value is no text. None is the format of nearly all, registry+v1. Values beyond the eighth are not kept and long
	// ones are cut: two of them, or a long one, are no format anyway.
	MediaTypes []string
	// MinKubeVersion is the CSV's minKubeVersion, empty when the catalog does not say.
	MinKubeVersion string
	// SuggestedNamespace is where the CSV's author wants it installed, empty when the catalog does not say.
	SuggestedNamespace string
	// InstallModes is the CSV's list of install modes, nil when the catalog does not say.
	InstallModes map[string]bool
	Deprecated   string
	// Release is what the olm.package property says beside the version, for bundles that are built again; not checked here.
	Release string
	// ProvidedGVKs are the kinds that the bundle brings (olm.gvk), sorted, each once. Bundles with equal lists share one.
	ProvidedGVKs []GVK
	// Requirements are what the bundle needs of others (olm.gvk.required, olm.package.required, olm.constraint), sorted,
	// each once. All of them must be met.
	Requirements []Requirement
	// APIServices says that the bundle brings aggregated APIs.
	APIServices bool
	// CreatedAt is the CSV's annotation createdAt as it stands, empty when the catalog does not say or says more than 64 bytes.
	CreatedAt string
}

// Provides says whether the bundle brings a kind.
func (b *Bundle) Provides(gvk GVK) bool {
	_, found := slices.BinarySearchFunc(b.ProvidedGVKs, gvk, GVK.Compare)
	return found
}

// Bundle returns the bundle of this name.
func (p *Package) Bundle(name string) (Bundle, bool) {
	i := sort.Search(len(p.Bundles), func(i int) bool { return p.Bundles[i].Name >= name })
	if i == len(p.Bundles) || p.Bundles[i].Name != name {
		return Bundle{}, false
	}
	return p.Bundles[i], true
}

// Channel returns the channel of this name.
func (p *Package) Channel(name string) (Channel, bool) {
	i := sort.Search(len(p.Channels), func(i int) bool { return p.Channels[i].Name >= name })
	if i == len(p.Channels) || p.Channels[i].Name != name {
		return Channel{}, false
	}
	return p.Channels[i], true
}
