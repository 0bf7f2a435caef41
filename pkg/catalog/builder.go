package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// Bounds of what one package may hold; what is beyond is left out and counted in Faults. The largest package of the
// OpenShift 4.20 catalogs has 216 bundles.
const (
	maxBundles  = 10_000
	maxChannels = 1_000
	maxEntries  = 50_000
	maxFaults   = 10
	// maxKeptFaults is how many are kept to tell the first and the number of the others.
	maxKeptFaults = 100
	maxName       = 2_048
	maxSentence   = 400
)

// Builder puts packages together from parts that come in any order, some of them more than once. The zero value is
// ready; it is not safe for concurrent use.
type Builder struct {
	packages map[string]*draft
	// providers collects who brings which kinds, nil where nobody asks.
	providers *ProvidersBuilder
	// Memory lends what is kept; nil lends without a bound.
	Memory Memory
	err    error
}

// draft is one package being built.
type draft struct {
	builder  *Builder
	name     string
	shared   shared
	defaults map[string]bool
	channels map[string]map[string]Entry
	bundles  map[string]Bundle
	// clashing names bundles that came twice with different content; neither is used.
	clashing map[string]bool
	faults   map[string]bool
	notes    map[string]bool
	entries  int
	// size is how much memory was taken for the package; tooLarge says that it was more than a package may take.
	size     int
	tooLarge bool
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
	d := newDraft(b, name)
	b.packages[name] = d
	d.keep(sizeOfPackage + len(name))
	return d
}

func newDraft(b *Builder, name string) *draft {
	return &draft{
		builder: b, name: name,
		defaults: map[string]bool{},
		channels: map[string]map[string]Entry{},
		bundles:  map[string]Bundle{},
		clashing: map[string]bool{},
		faults:   map[string]bool{},
		notes:    map[string]bool{},

		deprecations: map[string][]Deprecation{},
		rules:        map[string]UpgradeRules{},
	}
}

// AddPackage adds a package and its default channel, which may be empty.
func (b *Builder) AddPackage(name, defaultChannel string) {
	d := b.draft(name)
	if defaultChannel == "" || d.defaults[defaultChannel] || !d.fits(subject{"package", name}, field{"defaultChannel", defaultChannel}) {
		return
	}
	if d.keep(sizeOfText + len(defaultChannel)) {
		d.defaults[defaultChannel] = true
	}
}

// AddChannel adds entries to a channel of a package; both are created if they are not there yet.
func (b *Builder) AddChannel(pkg, channel string, entries ...Entry) {
	d := b.draft(pkg)
	if !d.fits(subject{"channel", channel}, field{"name", channel}) {
		return
	}
	known, ok := d.channels[channel]
	if !ok {
		if len(d.channels) >= maxChannels {
			d.fault("there are more than %d channels", maxChannels)
			return
		}
		if !d.keep(sizeOfChannel + len(channel)) {
			return
		}
		known = map[string]Entry{}
		d.channels[channel] = known
	}
	for _, entry := range entries {
		b.addEntry(pkg, channel, known, entry)
	}
}

func (b *Builder) addEntry(pkg, channel string, known map[string]Entry, entry Entry) {
	d := b.draft(pkg)
	fields := []field{{"name", entry.Name}, {"replaces", entry.Replaces}, {"skipRange", entry.SkipRange}}
	for _, skip := range entry.Skips {
		fields = append(fields, field{"skips", skip})
	}
	if d.tooLarge || !d.fits(entrySubject{entry.Name, channel}, fields...) {
		return
	}
	entry.Skips = slices.Compact(slices.Sorted(slices.Values(entry.Skips)))
	before, ok := known[entry.Name]
	switch {
	case !ok && d.entries >= maxEntries:
		d.fault("there are more than %d channel entries", maxEntries)
		return
	case !ok && !d.keep(entry.size()):
		return
	case !ok:
		d.entries++
	case reflect.DeepEqual(before, entry):
		return
	default:
		d.fault("channel %s has two different entries for %s", truncate.Quote(channel), truncate.Quote(entry.Name))
		// Which came first is an accident of the stream; the same one of the two must win every time.
		if compareEntries(before, entry) < 0 || !d.keep(entry.size()) {
			return
		}
		d.release(before.size())
	}
	known[entry.Name] = entry
}

// AddBundle adds a bundle to a package. The same bundle may be added again; two different ones of the same name are
// both left out, as a fault of the package.
func (b *Builder) AddBundle(pkg string, bundle Bundle) {
	d := b.draft(pkg)
	if d.tooLarge || !d.fits(subject{"bundle", bundle.Name}, bundle.fields()...) {
		return
	}
	bundle.MaxOpenShiftVersions = slices.Sorted(slices.Values(bundle.MaxOpenShiftVersions))
	d.sortKinds(&bundle)
	d.sortRequirements(&bundle)
	before, ok := d.bundles[bundle.Name]
	switch {
	case ok && reflect.DeepEqual(before, bundle):
	case ok:
		d.clashing[before.Name] = true
		d.fault("bundle %s is there twice with different content; neither is used", truncate.Quote(bundle.Name))
	case len(d.bundles) >= maxBundles:
		d.fault("there are more than %d bundles", maxBundles)
	case d.keep(bundle.Size()):
		d.shared.share(&bundle)
		d.bundles[bundle.Name] = bundle
	}
}

// AddFault records that something of this package could not be used: one sentence that names the blob.
func (b *Builder) AddFault(pkg string, err error) {
	b.draft(pkg).fault("%v", err)
}

// AddNote records what the way on which a package is read does not tell of it: one sentence.
func (b *Builder) AddNote(pkg, sentence string) {
	b.draft(pkg).notes[bounded(sentence)] = true
}

// fault keeps a sentence; of more than can be told the first in the order of text stay, so that which came first does not matter.
func (d *draft) fault(format string, args ...any) {
	sentence := bounded(fmt.Sprintf(format, args...))
	if d.faults[sentence] || !d.keep(sizeOfFault+len(sentence)) {
		return
	}
	d.faults[sentence] = true
	if len(d.faults) > maxKeptFaults {
		last := slices.Max(slices.Collect(maps.Keys(d.faults)))
		delete(d.faults, last)
		d.release(sizeOfFault + len(last))
	}
}

func bounded(sentence string) string { return truncate.Bytes(sentence, maxSentence) }

// field is a text of a package, channel, entry or bundle, and what the catalog calls it.
type field struct{ name, text string }

// subject names a package, channel or bundle in a fault. A Stringer, so that its name is only quoted when there is a fault.
type subject struct{ kind, name string }

// String implements fmt.Stringer.
func (s subject) String() string { return s.kind + " " + truncate.Quote(s.name) }

// entrySubject names an entry of a channel in a fault.
type entrySubject struct{ name, channel string }

// String implements fmt.Stringer.
func (s entrySubject) String() string {
	return fmt.Sprintf("entry %s of channel %s", truncate.Quote(s.name), truncate.Quote(s.channel))
}

// fits reports whether texts are short enough to be kept; if not, it records the fault of the subject, which the caller leaves out.
func (d *draft) fits(of fmt.Stringer, fields ...field) bool {
	for _, each := range fields {
		if len(each.text) > maxName {
			d.fault("%s is left out: its %s has %d bytes, more than %d; it begins with %s", of, each.name, len(each.text), maxName, truncate.Quote(each.text))
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
	if named := slices.Sorted(maps.Keys(d.defaults)); len(named) > 1 {
		d.fault("the package names several default channels: [%s %s], of %d", truncate.Quote(named[0]), truncate.Quote(named[1]), len(named))
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

// size is what the entry takes in memory.
func (e *Entry) size() int {
	size := sizeOfEntry + len(e.Name) + len(e.Replaces) + len(e.SkipRange)
	for _, skip := range e.Skips {
		size += sizeOfText + len(skip)
	}
	return size
}

func compareEntries(a, b Entry) int {
	return cmp.Or(
		cmp.Compare(a.Name, b.Name),
		cmp.Compare(a.Replaces, b.Replaces),
		cmp.Compare(a.SkipRange, b.SkipRange),
		slices.Compare(a.Skips, b.Skips),
	)
}
