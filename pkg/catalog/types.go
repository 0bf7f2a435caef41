package catalog

import (
	"cmp"
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
	// Faults are sentences about blobs of this package that could not be used, sorted, at most maxFaults and a last one
	// that counts the rest. What they name is not in Channels and Bundles.
	Faults []string
}

// Channel is one channel of a package and what is in it.
type Channel struct {
	Name    string
	Entries []Entry
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
	// MinKubeVersion is the CSV's minKubeVersion, empty when the catalog does not say.
	MinKubeVersion string
	// SuggestedNamespace is where the CSV's author wants it installed, empty when the catalog does not say.
	SuggestedNamespace string
	// InstallModes is the CSV's list of install modes, nil when the catalog does not say.
	InstallModes map[string]bool
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
