package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
)

// Limits on the provided kinds that are retained for one catalog: maxProvided is the maximum number of pairs of a package and a kind, and
// maxProvidedText is the maximum total size of their names, in bytes. A pair takes about 50 bytes in addition to its names. At these limits
// a catalog takes about 2 MB, so that the three default catalogs stay within the 10 MB that snapshots may take. The largest catalog of
// OpenShift 4.20 has about 400 packages, which provide a few thousand kinds.
const (
	maxProvided     = 20_000
	maxProvidedText = 1 << 20
	// maxKindProperty is the maximum size of an olm.gvk property, in bytes; larger ones are ignored. It leaves space for a group, a version
	// and a kind of maxName bytes each, and for the JSON syntax.
	maxKindProperty = 4 * maxName
)

// Providers lists, for each kind (olm.gvk), the packages of a catalog of which any bundle provides the kind. It includes all packages,
// wanted or not. If there are more than the limits allow, the last ones are omitted in the order of kind and package, so that the result
// does not depend on the order of the stream. Providers is immutable. A nil Providers has no packages, and is not complete.
type Providers struct {
	// kinds are sorted. The packages of kinds[i] are packages[ends[i-1]:ends[i]], as indexes into names.
	kinds    []GVK
	ends     []uint32
	packages []uint32
	names    []string
	// firstOmitted is the first kind whose list of packages may be incomplete; nil if nothing was omitted.
	firstOmitted *GVK
}

// ForKind returns the names of the packages that provide a kind, sorted; nil if none does.
func (p *Providers) ForKind(gvk GVK) []string {
	if p == nil {
		return nil
	}
	i := sort.Search(len(p.kinds), func(i int) bool { return p.kinds[i].Compare(gvk) >= 0 })
	if i == len(p.kinds) || p.kinds[i] != gvk {
		return nil
	}
	begin := uint32(0)
	if i > 0 {
		begin = p.ends[i-1]
	}
	names := make([]string, 0, p.ends[i]-begin)
	for _, index := range p.packages[begin:p.ends[i]] {
		names = append(names, p.names[index])
	}
	return names
}

// IsCompleteFor reports whether ForKind returns every package that provides a kind. It returns false if packages may have been omitted
// because of the limits, and if p is nil.
func (p *Providers) IsCompleteFor(gvk GVK) bool {
	return p != nil && (p.firstOmitted == nil || gvk.Compare(*p.firstOmitted) < 0)
}

// IsComplete reports whether nothing was omitted because of the limits. It returns false for nil.
func (p *Providers) IsComplete() bool { return p != nil && p.firstOmitted == nil }

// Equal reports whether both have the same content. Nil equals only nil.
func (p *Providers) Equal(other *Providers) bool {
	if p == nil || other == nil {
		return p == other
	}
	return (p.firstOmitted == nil) == (other.firstOmitted == nil) && (p.firstOmitted == nil || *p.firstOmitted == *other.firstOmitted) && slices.Equal(p.kinds, other.kinds) &&
		slices.Equal(p.ends, other.ends) && slices.Equal(p.packages, other.packages) && slices.Equal(p.names, other.names)
}

// ProvidersBuilder collects which packages provide which kinds, in any order, possibly more than once. The zero value is ready for use. It
// is not safe for concurrent use.
type ProvidersBuilder struct {
	// Memory is the budget for the memory of the collected names. Nil means no limit.
	Memory   MemoryBudget
	provided map[providerIndexes]bool
	// names contains every name once. indexes maps each name to its index in names. text is the total size of the names, in bytes.
	names   []string
	indexes map[string]uint32
	text    int
	// firstOmitted is the first provider that was omitted; nil if none was. All providers after it are omitted as well.
	firstOmitted *provider
	// reserved is the number of bytes of Memory that the builder has reserved. err is the error of Memory after it was exhausted.
	reserved int
	err      error
}

// provider is a package and a kind that it provides.
type provider struct {
	gvk GVK
	pkg string
}

// providerIndexes is a provider in which each name is replaced with its index in names.
type providerIndexes struct{ group, version, kind, pkg uint32 }

const (
	// maxCollected is the maximum number of providers that are collected before the builder omits those beyond maxProvided.
	maxCollected = maxProvided + maxProvided/4
	// sizeOfProvided is the size of one provider in memory while it is collected and sorted, in bytes. sizeOfProvidedName is the size of a
	// name, not including its text.
	sizeOfProvided     = 128
	sizeOfProvidedName = 96
)

func (p provider) compare(other provider) int {
	return cmp.Or(p.gvk.Compare(other.gvk), cmp.Compare(p.pkg, other.pkg))
}

func (p provider) texts() [4]string { return [4]string{p.gvk.Group, p.gvk.Version, p.gvk.Kind, p.pkg} }

// Add records that a bundle of a package provides a kind. It ignores a kind without a version or a kind name, because such a kind cannot be
// required. It also ignores names that exceed maxName. It does nothing after an error.
func (b *ProvidersBuilder) Add(pkg string, gvk GVK) {
	each := provider{gvk, pkg}
	if b.err != nil || gvk.Version == "" || gvk.Kind == "" || b.firstOmitted != nil && each.compare(*b.firstOmitted) >= 0 {
		return
	}
	for _, text := range each.texts() {
		if len(text) > maxName {
			return
		}
	}
	b.collect(each)
	if len(b.provided) > maxCollected || b.text > maxProvidedText+maxProvidedText/4 {
		b.trim()
	}
}

// Err returns the error of Memory if it was exhausted; nil otherwise. The result of Build is incomplete after an error.
func (b *ProvidersBuilder) Err() error { return b.err }

func (b *ProvidersBuilder) collect(each provider) {
	if b.provided == nil {
		b.provided, b.indexes = map[providerIndexes]bool{}, map[string]uint32{}
	}
	var numbers [4]uint32
	for i, text := range each.texts() {
		numbers[i] = b.indexOf(text)
	}
	if one := (providerIndexes{numbers[0], numbers[1], numbers[2], numbers[3]}); !b.provided[one] && b.reserve(sizeOfProvided) {
		b.provided[one] = true
	}
}

// indexOf returns the index of a name in names. It adds a new name; if the memory for it cannot be reserved, it returns 0 and sets err.
func (b *ProvidersBuilder) indexOf(text string) uint32 {
	if known, ok := b.indexes[text]; ok || !b.reserve(sizeOfProvidedName+len(text)) {
		return known
	}
	next := uint32(len(b.names))
	b.names = append(b.names, text)
	b.indexes[text] = next
	b.text += len(text)
	return next
}

// reserve reserves bytes of Memory, and reports whether it succeeded. If not, it sets err.
func (b *ProvidersBuilder) reserve(bytes int) bool {
	if b.err != nil {
		return false
	}
	if err := orUnlimited(b.Memory).Reserve(bytes); err != nil {
		b.err = fmt.Errorf("indexing which packages provide which kinds: %w", err)
		return false
	}
	b.reserved += bytes
	return true
}

// sorted returns all collected providers in order.
func (b *ProvidersBuilder) sorted() []provider {
	name := func(number uint32) string { return b.names[number] }
	compare := func(x, y providerIndexes) int {
		return cmp.Or(cmp.Compare(name(x.group), name(y.group)), cmp.Compare(name(x.version), name(y.version)),
			cmp.Compare(name(x.kind), name(y.kind)), cmp.Compare(name(x.pkg), name(y.pkg)))
	}
	out := make([]provider, 0, len(b.provided))
	for _, each := range slices.SortedFunc(maps.Keys(b.provided), compare) {
		out = append(out, provider{GVK{Group: name(each.group), Version: name(each.version), Kind: name(each.kind)}, name(each.pkg)})
	}
	return out
}

// trim omits the providers beyond the limits, and returns the others, sorted. These are the first of all providers that were ever added:
// trim can forget what it omits, because later additions can only move the limit toward the beginning.
func (b *ProvidersBuilder) trim() []provider {
	sorted := b.sorted()
	orUnlimited(b.Memory).Release(b.reserved)
	b.provided, b.indexes, b.names, b.text, b.reserved = nil, nil, nil, 0, 0
	for i, each := range sorted {
		more := 0
		for _, text := range each.texts() {
			if _, known := b.indexes[text]; !known {
				more += len(text)
			}
		}
		if i == maxProvided || b.text+more > maxProvidedText {
			b.firstOmitted = &each
			return sorted[:i]
		}
		b.collect(each)
	}
	return sorted
}

// Build returns the providers that were added, within the limits.
func (b *ProvidersBuilder) Build() *Providers {
	sorted := b.trim()
	out := &Providers{packages: make([]uint32, 0, len(sorted))}
	if b.firstOmitted != nil {
		out.firstOmitted = &b.firstOmitted.gvk
	}
	number := map[string]uint32{}
	kinds := 0
	for i, each := range sorted {
		if i == 0 || each.gvk != sorted[i-1].gvk {
			kinds++
		}
		number[each.pkg] = 0
	}
	out.names = slices.Sorted(maps.Keys(number))
	for i, name := range out.names {
		number[name] = uint32(i)
	}
	out.kinds, out.ends = make([]GVK, 0, kinds), make([]uint32, 0, kinds)
	for i, each := range sorted {
		out.packages = append(out.packages, number[each.pkg])
		if i+1 == len(sorted) || each.gvk != sorted[i+1].gvk {
			out.kinds, out.ends = append(out.kinds, each.gvk), append(out.ends, uint32(i+1))
		}
	}
	return out
}

// addKinds adds the kinds that a bundle's properties provide. It ignores unreadable properties, because it is called even for unwanted
// packages, whose faults are not reported.
func (b *blob) addKinds(providers *ProvidersBuilder) {
	_ = array(b.properties, func(element []byte) error {
		if len(element) > maxKindProperty {
			return nil
		}
		if kind, value, err := splitProperty(element); err == nil && kind == propertyGVK {
			providers.addKind(b.pkg, value)
		}
		return nil
	})
}

// AddProperty adds the kind that a property of one of a package's bundles provides. The parameters kind and value are the type of the
// property and its value as raw JSON. AddProperty ignores unreadable properties, and properties of types other than olm.gvk.
func (b *ProvidersBuilder) AddProperty(pkg, kind, value string) {
	if kind == propertyGVK && len(value) <= maxKindProperty {
		b.addKind(pkg, []byte(value))
	}
}

func (b *ProvidersBuilder) addKind(pkg string, value []byte) {
	if gvk, err := readGVK(value); err == nil {
		b.Add(pkg, gvk)
	}
}
