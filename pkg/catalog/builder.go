package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Bounds of what one package may hold; what is beyond is left out and counted in Faults. The largest package of the
// OpenShift 4.20 catalogs has 216 bundles.
const (
	maxBundles  = 10_000
	maxChannels = 1_000
	maxEntries  = 50_000
	maxFaults   = 10
	maxName     = 2_048
	maxSentence = 300
)

// Builder puts packages together from parts that come in any order, some of them more than once. The zero value is
// ready; it is not safe for concurrent use.
type Builder struct {
	packages map[string]*draft
	shared   shared
	// providers collects who brings which kinds, nil where nobody asks.
	providers *ProvidersBuilder
}

// draft is one package being built.
type draft struct {
	defaults map[string]bool
	channels map[string]map[string]Entry
	bundles  map[string]Bundle
	// clashing names bundles that came twice with different content; neither is used.
	clashing map[string]bool
	faults   map[string]bool
	notes    map[string]bool
	entries  int
	// deprecations and rules are kept by what they say.
	deprecations map[string][]Deprecation
	rules        map[string]UpgradeRules
}

func (b *Builder) draft(name string) *draft {
	if d, ok := b.packages[name]; ok {
		return d
	}
	if b.packages == nil {
		b.packages = map[string]*draft{}
	}
	d := &draft{
		defaults: map[string]bool{},
		channels: map[string]map[string]Entry{},
		bundles:  map[string]Bundle{},
		clashing: map[string]bool{},
		faults:   map[string]bool{},
		notes:    map[string]bool{},

		deprecations: map[string][]Deprecation{},
		rules:        map[string]UpgradeRules{},
	}
	b.packages[name] = d
	return d
}

// AddPackage adds a package and its default channel, which may be empty.
func (b *Builder) AddPackage(name, defaultChannel string) {
	d := b.draft(name)
	if defaultChannel != "" && d.fits("default channel", defaultChannel) {
		d.defaults[defaultChannel] = true
	}
}

// AddChannel adds entries to a channel of a package; both are created if they are not there yet.
func (b *Builder) AddChannel(pkg, channel string, entries ...Entry) {
	d := b.draft(pkg)
	if !d.fits("channel", channel) {
		return
	}
	known, ok := d.channels[channel]
	if !ok {
		if len(d.channels) >= maxChannels {
			d.fault("there are more than %d channels", maxChannels)
			return
		}
		known = map[string]Entry{}
		d.channels[channel] = known
	}
	for _, entry := range entries {
		d.addEntry(channel, known, entry)
	}
}

func (d *draft) addEntry(channel string, known map[string]Entry, entry Entry) {
	if !d.fits("entry", append([]string{entry.Name, entry.Replaces, entry.SkipRange}, entry.Skips...)...) {
		return
	}
	entry.Skips = slices.Compact(slices.Sorted(slices.Values(entry.Skips)))
	before, ok := known[entry.Name]
	switch {
	case !ok && d.entries >= maxEntries:
		d.fault("there are more than %d channel entries", maxEntries)
		return
	case !ok:
		d.entries++
	case reflect.DeepEqual(before, entry):
		return
	default:
		d.fault("channel %q has two different entries for %q", channel, entry.Name)
		// Which came first is an accident of the stream; the same one of the two must win every time.
		if compareEntries(before, entry) < 0 {
			return
		}
	}
	known[entry.Name] = entry
}

// AddBundle adds a bundle to a package. The same bundle may be added again; two different ones of the same name are
// both left out, as a fault of the package.
func (b *Builder) AddBundle(pkg string, bundle Bundle) {
	d := b.draft(pkg)
	if !d.fits("bundle", bundle.texts()...) {
		return
	}
	bundle.MaxOpenShiftVersions = slices.Sorted(slices.Values(bundle.MaxOpenShiftVersions))
	d.sortKinds(&bundle)
	d.sortRequirements(&bundle)
	b.shared.share(&bundle)
	before, ok := d.bundles[bundle.Name]
	switch {
	case !ok && len(d.bundles) >= maxBundles:
		d.fault("there are more than %d bundles", maxBundles)
		return
	case ok && !reflect.DeepEqual(before, bundle):
		d.clashing[bundle.Name] = true
		d.fault("bundle %q is there twice with different content; neither is used", bundle.Name)
	}
	d.bundles[bundle.Name] = bundle
}

// AddFault records that something of this package could not be used: one sentence that names the blob.
func (b *Builder) AddFault(pkg string, err error) {
	b.draft(pkg).fault("%v", err)
}

// AddNote records what the way on which a package is read does not tell of it: one sentence.
func (b *Builder) AddNote(pkg, sentence string) {
	b.draft(pkg).notes[bounded(sentence)] = true
}

func (d *draft) fault(format string, args ...any) {
	d.faults[bounded(fmt.Sprintf(format, args...))] = true
}

func bounded(sentence string) string {
	if len(sentence) > maxSentence {
		sentence = strings.ToValidUTF8(sentence[:maxSentence], "") + "…"
	}
	return sentence
}

// fits reports whether names are short enough to be kept.
func (d *draft) fits(what string, names ...string) bool {
	for _, name := range names {
		if len(name) > maxName {
			d.fault("a %s has a name, image or version of more than %d characters: %.40q…", what, maxName, name)
			return false
		}
	}
	return true
}

// Build returns what was added, sorted by name. It does not check that channels and bundles refer to one another: real
// catalogs are pruned, and who chooses a version says what is missing for it.
func (b *Builder) Build() []Package {
	packages := make([]Package, 0, len(b.packages))
	for _, name := range slices.Sorted(maps.Keys(b.packages)) {
		packages = append(packages, b.packages[name].build(name))
	}
	return packages
}

func (d *draft) build(name string) Package {
	p := Package{Name: name}
	if len(d.defaults) > 1 {
		d.fault("the package names several default channels: %q", slices.Sorted(maps.Keys(d.defaults)))
	} else {
		p.DefaultChannel = strings.Join(slices.Collect(maps.Keys(d.defaults)), "")
	}
	deprecated := d.deprecated()
	p.Deprecated = deprecated[Deprecation{Schema: schemaPackage}]
	for _, channel := range slices.Sorted(maps.Keys(d.channels)) {
		entries := slices.SortedFunc(maps.Values(d.channels[channel]), compareEntries)
		p.Channels = append(p.Channels, Channel{
			Name: channel, Entries: entries, Deprecated: deprecated[Deprecation{Schema: schemaChannel, Name: channel}],
		})
	}
	for _, name := range slices.Sorted(maps.Keys(d.bundles)) {
		if !d.clashing[name] {
			bundle := d.bundles[name]
			bundle.Deprecated = deprecated[Deprecation{Schema: schemaBundle, Name: name}]
			p.Bundles = append(p.Bundles, bundle)
		}
	}
	p.UpgradeRules = d.buildRules()
	p.Faults, p.Notes = sentences(d.faults), sentences(d.notes)
	return p
}

// sentences sorts and bounds what is said of a package.
func sentences(said map[string]bool) []string {
	out := slices.Sorted(maps.Keys(said))
	if more := len(out) - maxFaults; more > 0 {
		out = append(out[:maxFaults:maxFaults], fmt.Sprintf("and %d more", more))
	}
	return out
}

func compareEntries(a, b Entry) int {
	return cmp.Or(
		cmp.Compare(a.Name, b.Name),
		cmp.Compare(a.Replaces, b.Replaces),
		cmp.Compare(a.SkipRange, b.SkipRange),
		slices.Compare(a.Skips, b.Skips),
	)
}
