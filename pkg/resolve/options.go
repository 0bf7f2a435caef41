package resolve

import (
	"cmp"
	"slices"
	"strings"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// Option is a candidate, with the results of the rules and other properties that the decision uses.
type Option struct {
	Candidate
	priority int
	// isRequested reports whether a requested channel contains the option.
	isRequested bool
	// hasReleases reports whether the requested channels of the option's catalog contain a version that is not a pre-release.
	hasReleases bool
	// rule is the first rule that refuses the option, and cause is its reason; empty and nil if no rule refuses the option. unfit is the
	// reason why the cluster cannot run the option, whatever the spec requests; nil if it can.
	rule         string
	cause, unfit reason.Reason
}

// optionsIn returns the bundles in every channel of the package in every catalog, newest first. If several catalogs contain the same
// bundle, such as a CatalogSource and a ClusterCatalog made from the same index image, the result contains it once: from a requested
// channel if possible, else from the catalog with the highest priority.
func optionsIn(req Request, offering []Catalog) []*Option {
	var options []*Option
	for _, offer := range offering {
		options = append(options, optionsOf(req, offer)...)
	}
	slices.SortStableFunc(options, func(a, b *Option) int {
		switch {
		case a.isRequested == b.isRequested:
			return 0
		case a.isRequested:
			return -1
		}
		return 1
	})
	visited := map[string]bool{}
	options = slices.DeleteFunc(options, func(o *Option) bool {
		key := content(o.Bundle) + " " + o.Bundle.Version + " " + o.Bundle.Release
		again := o.Bundle.Image != "" && visited[key]
		visited[key] = true
		return again
	})
	slices.SortFunc(options, func(a, b *Option) int {
		return cmp.Or(newestFirst(a.Candidate, b.Candidate), cmp.Compare(b.priority, a.priority), a.Catalog.Compare(b.Catalog))
	})
	return options
}

func optionsOf(req Request, offer Catalog) []*Option {
	pkg := offer.Package
	requested := requestedChannels(req, pkg)
	channels := make(map[string][]string, len(pkg.Bundles))
	for _, channel := range pkg.Channels {
		for _, entry := range channel.Entries {
			channels[entry.Name] = append(channels[entry.Name], channel.Name)
		}
	}
	options := make([]*Option, 0, len(pkg.Bundles))
	releases := false
	for _, bundle := range pkg.Bundles {
		if len(channels[bundle.Name]) == 0 {
			continue
		}
		o := &Option{Candidate: Candidate{Catalog: offer.ID, Bundle: bundle, Channels: channels[bundle.Name]}, priority: offer.Priority}
		if version, err := upgrade.ParseVersion(bundle.Version, bundle.Release); err == nil {
			o.Version = version
		}
		o.Channel, o.isRequested = pick(channels[bundle.Name], requested, pkg.DefaultChannel)
		releases = releases || o.isRequested && !o.Version.IsZero() && !o.Version.IsPrerelease()
		options = append(options, o)
	}
	for i := range options {
		options[i].hasReleases = releases
	}
	return options
}

// requestedChannels returns the channels that the request permits in a catalog: those that it names, else the default channel.
func requestedChannels(req Request, pkg *catalog.Package) []string {
	if len(req.Channels) > 0 {
		return req.Channels
	}
	return []string{pkg.DefaultChannel}
}

// pick returns the channel to report for a bundle: a requested one, else the default one (preferred), else the first by name. It also
// reports whether the channel is requested. channels must not be empty.
func pick(channels, requested []string, preferred string) (string, bool) {
	rank := func(channel string) int {
		switch {
		case slices.Contains(requested, channel) && channel == preferred:
			return 0
		case slices.Contains(requested, channel):
			return 1
		case channel == preferred:
			return 2
		}
		return 3
	}
	best := slices.MinFunc(channels, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
	return best, rank(best) < 2
}

// content returns a text that identifies the content of a bundle: the digest of its image, so that copies on mirrors are equal, or the
// whole reference if it has no digest.
func content(b catalog.Bundle) string {
	if _, digest, ok := strings.Cut(b.Image, "@"); ok {
		return digest
	}
	return b.Image
}

// newestFirst orders candidates by version, newest first and invalid ones last, and then by bundle name.
func newestFirst(a, b Candidate) int {
	return cmp.Or(b.Version.Compare(a.Version), cmp.Compare(b.Bundle.Name, a.Bundle.Name))
}
