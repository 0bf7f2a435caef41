package samples

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/openshift/platform-operators/pkg/catalog"
)

// RulesSchema is the schema of catalog blobs that contain upgrade rules.
const RulesSchema = catalog.UpgradeSchemaPrefix + "v1alpha1"

// Package is the content of a catalog for one package, apart from the operators.
type Package struct {
	// Name is the package's name: the Package of its operators.
	Name string
	// DefaultChannel is the package's default channel. If it is empty, Write chooses one.
	DefaultChannel string
	// Blobs are additional blobs of the catalog, each a YAML document or a JSON object. They are written unchanged. Rules returns a blob of
	// upgrade rules.
	Blobs []string
	// Deprecations are the entries of the package's olm.deprecations blob. Without entries, the catalog has no such blob.
	Deprecations []Deprecation
}

// Rules returns a catalog blob with the upgrade rules of package pkg. text is the unindented YAML that follows the fields schema and package.
func Rules(pkg, text string) string {
	return fmt.Sprintf("schema: %s\npackage: %s\n%s", RulesSchema, pkg, text)
}

// Deprecation deprecates a version. If Version is empty, it deprecates the channel. If both are empty, it deprecates the package.
type Deprecation struct {
	Channel, Version, Message string
}

// Property is a property of a bundle in a catalog.
type Property struct {
	Type string
	// Value is JSON, which is written unchanged.
	Value string
}

// RunsUpTo returns the property for the newest OpenShift version that a bundle supports. version is raw JSON, such as `"4.21"`.
func RunsUpTo(version string) Property { return Property{"olm.maxOpenShiftVersion", version} }

// Provides returns the property for an operator that provides a kind.
func Provides(kind catalog.GVK) Property { return Property{"olm.gvk", kindFields(kind)} }

// RequiresKind returns the property for an operator that requires a kind.
func RequiresKind(kind catalog.GVK) Property { return Property{"olm.gvk.required", kindFields(kind)} }

// RequiresPackage returns the property for an operator that requires a package with a version in the range versions.
func RequiresPackage(name, versions string) Property {
	return Property{"olm.package.required", fmt.Sprintf(`{"packageName": %q, "versionRange": %q}`, name, versions)}
}

func kindFields(kind catalog.GVK) string {
	return fmt.Sprintf(`{"group": %q, "version": %q, "kind": %q}`, kind.Group, kind.Version, kind.Kind)
}

// channel is a channel in the form that the catalog's template needs.
type channel struct {
	Name    string
	Entries []entry
}

type entry struct {
	Name, Replaces, SkipRange string
	Skips                     []string
}

// reference is an entry of olm.deprecations in the form that the catalog's template needs.
type reference struct{ Schema, Name, Message string }

func writeCatalog(root, name string, p Package, operators []Operator) error {
	channels := channelsOf(operators)
	if p.DefaultChannel == "" {
		p.DefaultChannel = defaultChannel
		if len(channels) > 0 && !slices.ContainsFunc(channels, func(c channel) bool { return c.Name == defaultChannel }) {
			p.DefaultChannel = channels[0].Name
		}
	}
	var deprecations []reference
	for _, d := range p.Deprecations {
		to := reference{Schema: "olm.package", Message: d.Message}
		switch {
		case d.Version != "":
			to.Schema, to.Name = "olm.bundle", Operator{Package: name, Version: d.Version}.Name()
		case d.Channel != "":
			to.Schema, to.Name = "olm.channel", d.Channel
		}
		deprecations = append(deprecations, to)
	}
	return execute("catalog.yaml.tmpl", filepath.Join(root, "catalog", name, "catalog.yaml"), map[string]any{
		"Package": name, "DefaultChannel": p.DefaultChannel, "Channels": channels, "Operators": operators,
		"Deprecations": deprecations, "Blobs": p.Blobs,
	})
}

const defaultChannel = "stable"

// channelsOf returns the operators' channels in the order of their first occurrence. An operator without channels is in defaultChannel.
func channelsOf(operators []Operator) []channel {
	var channels []channel
	for _, operator := range operators {
		names := operator.Channels
		if len(names) == 0 {
			names = []string{defaultChannel}
		}
		for _, name := range names {
			i := slices.IndexFunc(channels, func(c channel) bool { return c.Name == name })
			if i < 0 {
				i, channels = len(channels), append(channels, channel{Name: name})
			}
			channels[i].Entries = append(channels[i].Entries, operator.entry(channels[i].Entries))
		}
	}
	return channels
}

// entry returns the operator's entry for a channel. before are the entries that the channel already has.
func (o Operator) entry(before []entry) entry {
	e := entry{Name: o.Name(), SkipRange: o.SkipRange}
	switch {
	case o.Replaces != "":
		e.Replaces = Operator{Package: o.Package, Version: o.Replaces}.Name()
	case !o.NoReplaces && len(before) > 0:
		e.Replaces = before[len(before)-1].Name
	}
	for _, version := range o.Skips {
		e.Skips = append(e.Skips, Operator{Package: o.Package, Version: version}.Name())
	}
	return e
}
