// Package search implements the command "search": it finds packages, channels and versions in catalogs, whether or not they are installed.
// The report is a pure function of the catalogs' packages, the search text, and the packages that the manager allows.
package search

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/cli/printer"
)

// Report is the result of the command.
type Report struct {
	printer.Type `json:",inline"`
	// Text is what the command searches for; empty for everything.
	Text string `json:"text,omitempty"`
	// Catalogs are all catalogs that were searched.
	Catalogs []Catalog `json:"catalogs"`
	// Packages are the packages found, sorted by name and catalog.
	Packages []Package `json:"packages"`
	// Similar are the names of packages that are similar to Text, the most similar first. It is empty if packages are found.
	Similar []string `json:"similar,omitempty"`

	// packageNames is the number of different names of the packages in the catalogs that were read.
	packageNames int
}

// Catalog is one catalog that was searched.
type Catalog struct {
	Name string `json:"name"`
	// Packages is the number of all packages in the catalog.
	Packages int `json:"packageCount"`
	// Error is the reason why the catalog could not be read; empty if it was read.
	Error string `json:"error,omitempty"`
}

// Package is one package of one catalog.
type Package struct {
	Name    string `json:"name"`
	Catalog string `json:"catalog"`
	// DefaultChannel is the channel that a PlatformOperator without channels uses; empty if the catalog has none.
	DefaultChannel string `json:"defaultChannel,omitempty"`
	// Version is the newest version of the default channel, or of all channels if there is no default channel.
	Version  string    `json:"version,omitempty"`
	Channels []Channel `json:"channels"`
	// Kinds are the provided kinds that match the text, as "Kind.group", sorted. It is empty if the name of the package matches.
	Kinds []string `json:"kinds,omitempty"`
	// Allowed means that spec.allowedPackages of the PlatformOperatorManager permits the package.
	Allowed bool `json:"allowed"`
	// Deprecated is the deprecation message of the package; empty if it is not deprecated.
	Deprecated string `json:"deprecation,omitempty"`
	// Faults are sentences about parts of the package that cannot be used.
	Faults []string `json:"faults,omitempty"`
}

// Channel is one channel of a package.
type Channel struct {
	Name string `json:"name"`
	// Versions are the versions of the channel, newest first.
	Versions   []Version `json:"versions"`
	Deprecated string    `json:"deprecation,omitempty"`
}

// Version is one version of a channel.
type Version struct {
	Version string `json:"version"`
	Bundle  string `json:"bundle"`
	// MaxOpenShift is the last minor version of OpenShift that the bundle supports; empty if it declares none.
	MaxOpenShift string `json:"maxOpenShiftVersion,omitempty"`
	Deprecated   string `json:"deprecation,omitempty"`
}

// Query selects packages.
type Query struct {
	// Text is a part of the name of a package, or of a kind that the package provides, in upper or lower case; empty selects all packages.
	Text string
	// Allowed is spec.allowedPackages of the PlatformOperatorManager; nil permits every package, and an empty list none.
	Allowed []string
}

// Find returns the packages of a catalog that a query selects.
func (q Query) Find(catalogName string, packages []catalog.Package) []Package {
	var found []Package
	for i := range packages {
		p := &packages[i]
		kinds, matches := q.matches(p)
		if !matches {
			continue
		}
		channels := channelsOf(p)
		found = append(found, Package{
			Name: p.Name, Catalog: catalogName, DefaultChannel: p.DefaultChannel, Version: newest(channels, p.DefaultChannel), Channels: channels,
			Kinds: kinds, Allowed: q.allows(p.Name), Deprecated: p.Deprecated, Faults: p.Faults,
		})
	}
	return found
}

// matches reports whether the query selects a package. If the name does not match, kinds are the provided kinds that do.
func (q Query) matches(p *catalog.Package) (kinds []string, matches bool) {
	text := strings.ToLower(q.Text)
	if strings.Contains(strings.ToLower(p.Name), text) {
		return nil, true
	}
	for _, bundle := range p.Bundles {
		for _, gvk := range bundle.ProvidedGVKs {
			if kind := gvk.Kind + "." + gvk.Group; strings.Contains(strings.ToLower(kind), text) && !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
	}
	slices.Sort(kinds)
	return kinds, len(kinds) > 0
}

// allows reports whether the manager may install a package. It uses the same globs as the manager.
func (q Query) allows(name string) bool {
	return q.Allowed == nil || slices.ContainsFunc(q.Allowed, func(glob string) bool {
		matches, err := path.Match(glob, name)
		return err == nil && matches
	})
}

// NewReport returns the report about packages, sorted by name and catalog.
func NewReport(text string, catalogs []Catalog, packages []Package) Report {
	slices.SortFunc(packages, func(a, b Package) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Catalog, b.Catalog)) })
	if packages == nil {
		packages = []Package{}
	}
	if catalogs == nil {
		catalogs = []Catalog{}
	}
	return Report{Type: printer.TypeOf("PackageSearch"), Text: text, Catalogs: catalogs, Packages: packages}
}

// Unread returns the number of catalogs that could not be read.
func (r Report) Unread() int {
	unread := 0
	for _, c := range r.Catalogs {
		if c.Error != "" {
			unread++
		}
	}
	return unread
}
