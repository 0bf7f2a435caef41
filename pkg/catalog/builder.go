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

// Limits for one package. What exceeds a limit is omitted and reported as a fault. maxName is the maximum size of a name, and maxSentence
// that of a fault or a note, both in bytes. The largest package of the OpenShift 4.20 catalogs has 216 bundles.
const (
	maxBundles  = 10_000
	maxChannels = 1_000
	maxEntries  = 50_000
	maxFaults   = 10
	// maxRetainedFaults is the maximum number of faults that are kept in memory. It is larger than maxFaults, because the report lists the
	// first maxFaults and then the number of the others.
	maxRetainedFaults = 100
	maxName           = 2_048
	maxSentence       = 400
)

// tooMany is the format of a fault about a limit of a package. Its arguments are the limit, what it limits, and what the catalog's
// publisher must do.
const tooMany = "the package has more than %d %s; the others are ignored; ask the catalog's publisher to %s"

// Builder builds packages from parts that are added in any order, possibly more than once. The zero value is ready for use. It is not safe
// for concurrent use.
type Builder struct {
	packages map[string]*packageBuilder
	// providers collects which packages provide which kinds; nil if the caller does not need that.
	providers *ProvidersBuilder
	// Memory is the budget for the memory of the packages. Nil means no limit.
	Memory MemoryBudget
	err    error
}

// packageBuilder collects the parts of one package.
type packageBuilder struct {
	builder  *Builder
	name     string
	interner interner
	defaults map[string]bool
	channels map[string]map[string]Entry
	bundles  map[string]Bundle
	// conflicting holds the names of bundles that were added twice with different content. Such bundles are omitted.
	conflicting map[string]bool
	faults      map[string]bool
	notes       map[string]bool
	entries     int
	// size is the number of bytes that are reserved for the package. tooLarge is true if the package exceeded maxPackage and was discarded.
	size     int
	tooLarge bool
	// deprecations and rules are keyed by a digest of their content.
	deprecations map[string][]Deprecation
	rules        map[string]UpgradeRules
}

func (b *Builder) packageBuilder(name string) *packageBuilder {
	if d, ok := b.packages[name]; ok {
		return d
	}
	if b.packages == nil {
		b.packages = map[string]*packageBuilder{}
	}
	d := newPackageBuilder(b, name)
	b.packages[name] = d
	d.reserve(sizeOfPackage + len(name))
	return d
}

func newPackageBuilder(b *Builder, name string) *packageBuilder {
	return &packageBuilder{
		builder: b, name: name,
		defaults:    map[string]bool{},
		channels:    map[string]map[string]Entry{},
		bundles:     map[string]Bundle{},
		conflicting: map[string]bool{},
		faults:      map[string]bool{},
		notes:       map[string]bool{},

		deprecations: map[string][]Deprecation{},
		rules:        map[string]UpgradeRules{},
	}
}

// AddPackage adds a package and its default channel, which may be empty. If different default channels are added, none is used, and the
// package has a fault.
func (b *Builder) AddPackage(name, defaultChannel string) {
	d := b.packageBuilder(name)
	if defaultChannel == "" || d.defaults[defaultChannel] || !d.checkLengths(subject{"package", name}, field{"defaultChannel", defaultChannel}) {
		return
	}
	if d.reserve(sizeOfText + len(defaultChannel)) {
		d.defaults[defaultChannel] = true
	}
}

// AddChannel adds entries to a channel of a package. It creates the package and the channel if they do not exist. If two entries of a
// channel have the same name but differ, only one is used, and the package has a fault.
func (b *Builder) AddChannel(pkg, channel string, entries ...Entry) {
	d := b.packageBuilder(pkg)
	if !d.checkLengths(subject{"channel", channel}, field{"name", channel}) {
		return
	}
	known, ok := d.channels[channel]
	if !ok {
		if len(d.channels) >= maxChannels {
			d.addFault(tooMany, maxChannels, "channels", "prune it")
			return
		}
		if !d.reserve(sizeOfChannel + len(channel)) {
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
	d := b.packageBuilder(pkg)
	fields := []field{{"name", entry.Name}, {"replaces", entry.Replaces}, {"skipRange", entry.SkipRange}}
	for _, skip := range entry.Skips {
		fields = append(fields, field{"skips", skip})
	}
	if d.tooLarge || !d.checkLengths(entrySubject{entry.Name, channel}, fields...) {
		return
	}
	entry.Skips = slices.Compact(slices.Sorted(slices.Values(entry.Skips)))
	before, ok := known[entry.Name]
	switch {
	case !ok && d.entries >= maxEntries:
		d.addFault(tooMany, maxEntries, "channel entries", "prune it")
		return
	case !ok && !d.reserve(entry.size()):
		return
	case !ok:
		d.entries++
	case reflect.DeepEqual(before, entry):
		return
	default:
		d.addFault("channel %s has two different entries for %s; only one is used; ask the catalog's publisher to remove the other",
			truncate.Quote(channel), truncate.Quote(entry.Name))
		// The order of the stream is arbitrary, and the choice between the two entries must not depend on it.
		if compareEntries(before, entry) < 0 || !d.reserve(entry.size()) {
			return
		}
		d.release(before.size())
	}
	known[entry.Name] = entry
}

// AddBundle adds a bundle to a package. An identical bundle may be added again. If two different bundles have the same name, both are
// omitted, and the package has a fault. A bundle that exceeds maxBundles, or that has a text longer than maxName, is omitted with a fault.
func (b *Builder) AddBundle(pkg string, bundle Bundle) {
	d := b.packageBuilder(pkg)
	if d.tooLarge || !d.checkLengths(subject{"bundle", bundle.Name}, bundle.fields()...) {
		return
	}
	bundle.MaxOpenShiftVersions = slices.Sorted(slices.Values(bundle.MaxOpenShiftVersions))
	d.sortKinds(&bundle)
	d.sortRequirements(&bundle)
	before, ok := d.bundles[bundle.Name]
	switch {
	case ok && reflect.DeepEqual(before, bundle):
	case ok:
		d.conflicting[before.Name] = true
		d.addFault("bundle %s occurs twice with different content; neither is used; ask the catalog's publisher to remove one",
			truncate.Quote(bundle.Name))
	case len(d.bundles) >= maxBundles:
		d.addFault(tooMany, maxBundles, "bundles", "prune it")
	case d.reserve(bundle.Size()):
		d.interner.intern(&bundle)
		d.bundles[bundle.Name] = bundle
	}
}

// AddFault adds a fault to a package, which reports that a part of the package is unusable. The error should be one sentence that names the
// blob.
func (b *Builder) AddFault(pkg string, err error) {
	b.packageBuilder(pkg).addFault("%v", err)
}

// AddNote adds a note to a package: one sentence about information that the protocol used to read the package does not provide.
func (b *Builder) AddNote(pkg, sentence string) {
	b.packageBuilder(pkg).notes[boundedSentence(sentence)] = true
}

// addFault adds a fault. If there are more than maxRetainedFaults, it retains those that come first in lexical order, so that the result
// does not depend on the order of the stream.
func (d *packageBuilder) addFault(format string, args ...any) {
	sentence := boundedSentence(fmt.Sprintf(format, args...))
	if d.faults[sentence] || !d.reserve(sizeOfFault+len(sentence)) {
		return
	}
	d.faults[sentence] = true
	if len(d.faults) > maxRetainedFaults {
		last := slices.Max(slices.Collect(maps.Keys(d.faults)))
		delete(d.faults, last)
		d.release(sizeOfFault + len(last))
	}
}

func boundedSentence(sentence string) string { return truncate.Bytes(sentence, maxSentence) }

// field is a text of a package, channel, entry or bundle. Its name is that of the field in the catalog.
type field struct{ name, text string }

// subject identifies a package, channel or bundle in a fault. It is a Stringer, so that the name is quoted only if there is a fault.
type subject struct{ kind, name string }

// String implements fmt.Stringer.
func (s subject) String() string { return s.kind + " " + truncate.Quote(s.name) }

// entrySubject identifies an entry of a channel in a fault.
type entrySubject struct{ name, channel string }

// String implements fmt.Stringer.
func (s entrySubject) String() string {
	return fmt.Sprintf("entry %s of channel %s", truncate.Quote(s.name), truncate.Quote(s.channel))
}

// checkLengths reports whether every field has at most maxName bytes. If not, it adds a fault, and the caller must omit the subject.
func (d *packageBuilder) checkLengths(of fmt.Stringer, fields ...field) bool {
	for _, each := range fields {
		if len(each.text) > maxName {
			d.addFault("%s is left out: its %s has %d bytes, but at most %d are allowed; it begins with %s", of, each.name, len(each.text),
				maxName, truncate.Quote(each.text))
			return false
		}
	}
	return true
}

// Build returns the packages, sorted by name. It does not check that channels and bundles refer to one another: catalogs are often pruned,
// and version selection reports what is missing. If Err is not nil, the result is incomplete.
func (b *Builder) Build() []Package {
	packages := make([]Package, 0, len(b.packages))
	for _, name := range slices.Sorted(maps.Keys(b.packages)) {
		packages = append(packages, b.packages[name].build(name))
	}
	return packages
}

func (d *packageBuilder) build(name string) Package {
	p := Package{Name: name}
	if named := slices.Sorted(maps.Keys(d.defaults)); len(named) > 1 {
		d.addFault("the package names %d default channels, among them %s and %s; none is used; ask the catalog's publisher to correct it",
			len(named), truncate.Quote(named[0]), truncate.Quote(named[1]))
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
		if !d.conflicting[name] {
			bundle := d.bundles[name]
			bundle.Deprecated = deprecated[Deprecation{Schema: schemaBundle, Name: name}]
			p.Bundles = append(p.Bundles, bundle)
		}
	}
	p.UpgradeRules = d.buildRules()
	p.Faults, p.Notes = sortedSentences(d.faults), sortedSentences(d.notes)
	return p
}

// sortedSentences returns the first maxFaults of a package's faults or notes, sorted. If there are more, the last sentence is the number of
// the others.
func sortedSentences(set map[string]bool) []string {
	out := slices.Sorted(maps.Keys(set))
	if more := len(out) - maxFaults; more > 0 {
		out = append(out[:maxFaults:maxFaults], fmt.Sprintf("and %d more", more))
	}
	return out
}

// size returns the entry's size in memory, in bytes.
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
