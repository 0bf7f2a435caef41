package search

import (
	"cmp"
	"slices"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// ordered is a version with the semantic version that it is sorted by; order is zero for a version that is not semantic.
type ordered struct {
	Version
	order upgrade.Version
}

// channelsOf returns the channels of a package, with their versions newest first. It omits entries whose bundle the catalog lacks, because
// they cannot be installed.
func channelsOf(p *catalog.Package) []Channel {
	bundles := make(map[string]*catalog.Bundle, len(p.Bundles))
	for i := range p.Bundles {
		bundles[p.Bundles[i].Name] = &p.Bundles[i]
	}
	channels := make([]Channel, 0, len(p.Channels))
	for _, channel := range p.Channels {
		var versions []ordered
		for _, entry := range channel.Entries {
			if bundle := bundles[entry.Name]; bundle != nil {
				versions = append(versions, newVersion(bundle))
			}
		}
		slices.SortFunc(versions, compareVersions)
		channels = append(channels, Channel{Name: channel.Name, Versions: plain(versions), Deprecated: channel.Deprecated})
	}
	return channels
}

func newVersion(bundle *catalog.Bundle) ordered {
	max, _ := compat.Record(bundle.MaxOpenShiftVersions)
	version := ordered{Version: Version{Version: bundle.Version, Bundle: bundle.Name, MaxOpenShift: max, Deprecated: bundle.Deprecated}}
	// If there is an error, the order stays zero: the version is listed last, and the manager's status reports the error.
	if parsed, err := upgrade.ParseVersion(bundle.Version, bundle.Release); err == nil {
		version.order, version.Version.Version = parsed, parsed.String()
	}
	return version
}

// compareVersions orders versions newest first. Versions that are not semantic come last, in descending order of their text.
func compareVersions(a, b ordered) int {
	switch {
	case a.order.IsZero() && b.order.IsZero():
		return cmp.Or(cmp.Compare(b.Version.Version, a.Version.Version), cmp.Compare(a.Bundle, b.Bundle))
	case a.order.IsZero():
		return 1
	case b.order.IsZero():
		return -1
	}
	return cmp.Or(b.order.Compare(a.order), cmp.Compare(a.Bundle, b.Bundle))
}

func plain(versions []ordered) []Version {
	found := make([]Version, 0, len(versions))
	for _, each := range versions {
		found = append(found, each.Version)
	}
	return found
}

// newest returns the newest version in the default channel, or in all channels if there is no default channel; empty if there is none.
func newest(channels []Channel, defaultChannel string) string {
	var all []ordered
	for _, channel := range channels {
		if len(channel.Versions) == 0 {
			continue
		}
		first := channel.Versions[0]
		if channel.Name == defaultChannel {
			return first.Version
		}
		order, _ := upgrade.ParseVersion(first.Version, "")
		all = append(all, ordered{first, order})
	}
	if len(all) == 0 {
		return ""
	}
	return slices.MinFunc(all, compareVersions).Version.Version
}

// channelVersion is a version and the channels that have it.
type channelVersion struct {
	Version
	channels []string
}

// versions returns the versions of all channels of a package, newest first, each once.
func (p Package) versions() []channelVersion {
	found := map[string]*channelVersion{}
	var all []ordered
	for _, channel := range p.Channels {
		for _, version := range channel.Versions {
			if known := found[version.Bundle]; known != nil {
				known.channels = append(known.channels, channel.Name)
				continue
			}
			found[version.Bundle] = &channelVersion{version, []string{channel.Name}}
			order, _ := upgrade.ParseVersion(version.Version, "")
			all = append(all, ordered{version, order})
		}
	}
	slices.SortStableFunc(all, compareVersions)
	versions := make([]channelVersion, 0, len(all))
	for _, each := range all {
		versions = append(versions, *found[each.Bundle])
	}
	return versions
}
