package resolve

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// finding is what looking through the catalogs gave; its lists are in order of priority, then of catalog.
type finding struct {
	// permitted are the catalogs of the cluster that the manager's selector takes, and excluded those that it leaves out;
	// selected are the permitted ones that the operator's own selector takes.
	permitted, excluded, selected []Catalog
	// holders have the package, unread could not be read.
	holders, unread []Catalog
	// unlisted are the kinds of catalogs of which there may be more.
	unlisted []string
}

func look(req Request, catalogs []Catalog) finding {
	var found finding
	for _, c := range slices.SortedFunc(slices.Values(catalogs), func(a, b Catalog) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), a.ID.Compare(b.ID))
	}) {
		visible := visibleLabels(c)
		if req.ManagerSelector != nil && !req.ManagerSelector.Matches(visible) {
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
			found.holders = append(found.holders, c)
		}
	}
	return found
}

// Selects says whether a catalog is one that the request takes packages from, whether it has the package or not.
func (r Request) Selects(c Catalog) bool {
	visible := visibleLabels(c)
	return (r.ManagerSelector == nil || r.ManagerSelector.Matches(visible)) && (r.Selector == nil || r.Selector.Matches(visible))
}

// visibleLabels are a catalog's own labels and the three that say which catalog it is; nobody can fake those.
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

// problem says why there is nothing to choose from, empty when there is.
func (f finding) problem(req Request) string {
	// These words are what users of the first platform-operators have been grepping for.
	missing := fmt.Sprintf("failed to find candidate for package %q: ", req.Package)
	switch {
	case len(f.permitted) == 0 && len(f.excluded) == 0 && len(f.unlisted) > 0:
		return missing + f.unlistedText()
	case len(f.permitted) == 0 && len(f.excluded) == 0:
		return missing + "the cluster has no trusted catalog: create a CatalogSource in a trusted namespace, or a ClusterCatalog"
	case len(f.permitted) == 0:
		return missing + f.excludedText(req) + ", and there is no other catalog: widen the selector there, or label a catalog so that it is selected"
	case len(f.selected) == 0:
		return joinSentences(missing+fmt.Sprintf("spec.package.catalogSelector %q selects none of the catalogs %s", req.Selector, names(f.permitted)), f.excludedText(req))
	case len(f.holders) > 0:
		return ""
	case len(f.unread) == len(f.selected):
		return joinSentences(missing+"no catalog could be read: "+f.unreadText(), f.excludedText(req))
	}
	var read []Catalog
	for _, c := range f.selected {
		if c.Err == nil {
			read = append(read, c)
		}
	}
	advice := "create a PlatformOperator with the right spec.package.name, or add a catalog that has the package"
	return joinSentences(joinSentences(missing+fmt.Sprintf("it is not in %s; %s", names(read), advice), f.unreadText()), f.excludedText(req))
}

// pending names the first catalog that will soon be read and whose word counts, beside a choice of this priority.
func (f finding) pending(priority int) string {
	for _, c := range f.unread {
		if c.Pending && c.Priority >= priority {
			return c.ID.String()
		}
	}
	return ""
}

// unreadText names the catalogs that were left out, and why.
func (f finding) unreadText() string {
	var parts []string
	if len(f.unlisted) > 0 {
		parts = append(parts, f.unlistedText())
	}
	for _, c := range f.unread {
		parts = append(parts, fmt.Sprintf("catalog %s was left out: %s", c.ID, clip(c.Err.Error(), maxUnread)))
	}
	return list(parts, "; ", 3)
}

// leftOut names the catalogs that were left out.
func (f finding) leftOut() string {
	var names []string
	for _, c := range f.unread {
		names = append(names, "catalog "+c.ID.String())
	}
	switch {
	case len(f.unlisted) > 0:
		return f.unlistedText()
	case len(names) == 0:
		return ""
	}
	return list(names, ", ", 3) + " could not be read"
}

func (f finding) unlistedText() string { return Plurals(f.unlisted) + " could not be listed" }

// Plurals names kinds of objects as messages do: "CatalogSources and ClusterCatalogs".
func Plurals(kinds []string) string { return strings.Join(kinds, "s and ") + "s" }

// away says which of the selected catalogs could not be read for some time. Errors may say something else at each attempt, and
// are not repeated here.
func (f finding) away() []string {
	var sentences []string
	for _, c := range f.selected {
		if !c.Away {
			continue
		}
		what := "is left out, because it cannot be read"
		if c.Err == nil {
			what = "cannot be read, and its last content is used"
		}
		where := "its status"
		if c.ID.Kind == catalog.KindCatalogSource {
			where = "its status and its pod"
		}
		sentences = append(sentences, fmt.Sprintf("catalog %s %s: look at %s, and at the manager's log", c.ID, what, where))
	}
	slices.Sort(sentences)
	if more := len(sentences) - maxAway; more > 0 {
		sentences = append(sentences[:maxAway:maxAway], fmt.Sprintf("and %d catalogs more cannot be read", more))
	}
	return sentences
}

// option is a candidate with what the rules and the choice need beside it.
type option struct {
	Candidate
	priority int
	// wanted: it is in a channel that was asked for.
	wanted bool
	// releases: the channels that were asked for hold, in this catalog, a version that is no pre-release.
	releases bool
	// rule and why are the first rule that refuses it and what that says, unfit is what the first rule says by which the
	// cluster must not run it, whatever the spec asks for; empty where there is none.
	rule, why, unfit string
}

// gather lists the bundles of every channel of the package in every catalog, newest first. One that several catalogs
// have, as when a CatalogSource and a ClusterCatalog serve the same index image, is listed once: where it is in a
// channel that was asked for, then where the priority is highest.
func gather(req Request, holders []Catalog) []*option {
	var options []*option
	for _, holder := range holders {
		options = append(options, optionsOf(req, holder)...)
	}
	slices.SortStableFunc(options, func(a, b *option) int {
		switch {
		case a.wanted == b.wanted:
			return 0
		case a.wanted:
			return -1
		}
		return 1
	})
	seen := map[string]bool{}
	options = slices.DeleteFunc(options, func(o *option) bool {
		key := content(o.Bundle) + " " + o.Bundle.Version + " " + o.Bundle.Release
		again := o.Bundle.Image != "" && seen[key]
		seen[key] = true
		return again
	})
	slices.SortFunc(options, func(a, b *option) int {
		return cmp.Or(newestFirst(a.Candidate, b.Candidate), cmp.Compare(b.priority, a.priority), a.Catalog.Compare(b.Catalog))
	})
	return options
}

func optionsOf(req Request, holder Catalog) []*option {
	pkg := holder.Package
	wanted := wantedChannels(req, pkg)
	channels := make(map[string][]string, len(pkg.Bundles))
	for _, channel := range pkg.Channels {
		for _, entry := range channel.Entries {
			channels[entry.Name] = append(channels[entry.Name], channel.Name)
		}
	}
	options := make([]*option, 0, len(pkg.Bundles))
	releases := false
	for _, bundle := range pkg.Bundles {
		if len(channels[bundle.Name]) == 0 {
			continue
		}
		o := &option{Candidate: Candidate{Catalog: holder.ID, Bundle: bundle, Channels: channels[bundle.Name]}, priority: holder.Priority}
		if version, err := upgrade.ParseVersion(bundle.Version, bundle.Release); err == nil {
			o.Version = version
		}
		o.Channel, o.wanted = pick(channels[bundle.Name], wanted, pkg.DefaultChannel)
		releases = releases || o.wanted && !o.Version.IsZero() && !o.Version.Prerelease()
		options = append(options, o)
	}
	for i := range options {
		options[i].releases = releases
	}
	return options
}

// wantedChannels are the channels to choose from in this catalog.
func wantedChannels(req Request, pkg *catalog.Package) []string {
	if len(req.Channels) > 0 {
		return req.Channels
	}
	return []string{pkg.DefaultChannel}
}

// pick chooses the channel to name: a wanted one, the default one, the first by name.
func pick(channels, wanted []string, preferred string) (string, bool) {
	rank := func(channel string) int {
		switch {
		case slices.Contains(wanted, channel) && channel == preferred:
			return 0
		case slices.Contains(wanted, channel):
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

// content identifies a bundle's content: the digest of its image, so that a mirror's copy is the same, else the whole
// reference.
func content(b catalog.Bundle) string {
	if _, digest, ok := strings.Cut(b.Image, "@"); ok {
		return digest
	}
	return b.Image
}

// newestFirst orders by version, unreadable ones last, then by bundle name.
func newestFirst(a, b Candidate) int {
	return cmp.Or(b.Version.Compare(a.Version), cmp.Compare(b.Bundle.Name, a.Bundle.Name))
}

// notes are what the catalogs could not tell of the package.
func (f finding) notes() []string {
	var notes []string
	for _, holder := range f.holders {
		for _, note := range holder.Package.Notes {
			notes = append(notes, fmt.Sprintf("%s: %s", holder.ID, clip(note, maxCause)))
		}
	}
	slices.Sort(notes)
	return notes
}
