package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
)

// Bounds of what is kept of who brings which kinds, for each catalog. A kind that a package brings costs some 50 bytes beside its
// names, so at these bounds a catalog costs about 2 MB, and the three that a cluster has by default stay within the 10 MB that
// snapshots may take. The largest catalog of OpenShift 4.20 has some 400 packages, which bring a few thousand kinds.
const (
	maxProvided     = 20_000
	maxProvidedText = 1 << 20
	// maxKindProperty is how long a property of a bundle may be that is looked at for a kind: its names alone may be nearly so
	// long, and nothing else belongs there.
	maxKindProperty = 4 * maxName
)

// Providers says which packages of a catalog bring which kinds (olm.gvk), in any version: of all packages, wanted or not. Its
// bounds are kept by leaving out what comes last in the order of kinds and then of packages, so that equal content gives
// equal values, in whatever order it came. It is not changed after it was made; nil knows of no package.
type Providers struct {
	// kinds are sorted; the packages of kinds[i] are packages[ends[i-1]:ends[i]], as indices of names.
	kinds    []GVK
	ends     []uint32
	packages []uint32
	names    []string
	// left is the first kind of which not every package is kept, nil when nothing was left out.
	left *GVK
}

// Of names the packages that bring a kind, sorted.
func (p *Providers) Of(gvk GVK) []string {
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

// Knows says whether Of names every package that brings a kind: the bounds may have left it out.
func (p *Providers) Knows(gvk GVK) bool {
	return p != nil && (p.left == nil || gvk.Compare(*p.left) < 0)
}

// Complete says whether nothing was left out at all.
func (p *Providers) Complete() bool { return p != nil && p.left == nil }

// Equal says whether two know the same.
func (p *Providers) Equal(other *Providers) bool {
	if p == nil || other == nil {
		return p == other
	}
	return (p.left == nil) == (other.left == nil) && (p.left == nil || *p.left == *other.left) && slices.Equal(p.kinds, other.kinds) &&
		slices.Equal(p.ends, other.ends) && slices.Equal(p.packages, other.packages) && slices.Equal(p.names, other.names)
}

// ProvidersBuilder collects who brings which kinds, in any order, some of it more than once. The zero value is ready; it is not
// safe for concurrent use.
type ProvidersBuilder struct {
	// Memory lends what is collected; nil lends without a bound.
	Memory   Memory
	provided map[provided]bool
	// names has one copy of every name, numbers the index of each name in names, and text their total length in bytes.
	names   []string
	numbers map[string]uint32
	text    int
	// left is the first that was left out; what comes after it is not kept either.
	left *provider
	// taken is how many bytes of Memory the builder has taken; err is why Memory had no more.
	taken int
	err   error
}

// provider is a package and a kind that it provides.
type provider struct {
	gvk GVK
	pkg string
}

// provided is a provider as indexes into names.
type provided struct{ group, version, kind, pkg uint32 }

const (
	// maxCollected is how many providers are collected before the builder leaves out those beyond maxProvided.
	maxCollected = maxProvided + maxProvided/4
	// sizeOfProvided is the memory of one provider while it is collected and sorted, sizeOfProvidedName that of a name without its text.
	sizeOfProvided     = 128
	sizeOfProvidedName = 96
)

func (p provider) compare(other provider) int {
	return cmp.Or(p.gvk.Compare(other.gvk), cmp.Compare(p.pkg, other.pkg))
}

func (p provider) texts() [4]string { return [4]string{p.gvk.Group, p.gvk.Version, p.gvk.Kind, p.pkg} }

// Add says that a package brings a kind in some version. A kind that nobody can require, for want of a version or a name, and
// names that are too long for a bundle are ignored.
func (b *ProvidersBuilder) Add(pkg string, gvk GVK) {
	each := provider{gvk, pkg}
	if b.err != nil || gvk.Version == "" || gvk.Kind == "" || b.left != nil && each.compare(*b.left) >= 0 {
		return
	}
	for _, text := range each.texts() {
		if len(text) > maxName {
			return
		}
	}
	b.keep(each)
	if len(b.provided) > maxCollected || b.text > maxProvidedText+maxProvidedText/4 {
		b.cut()
	}
}

// Err is the error of Memory when it had no more; what Build returns is then incomplete.
func (b *ProvidersBuilder) Err() error { return b.err }

func (b *ProvidersBuilder) keep(each provider) {
	if b.provided == nil {
		b.provided, b.numbers = map[provided]bool{}, map[string]uint32{}
	}
	var numbers [4]uint32
	for i, text := range each.texts() {
		numbers[i] = b.number(text)
	}
	if one := (provided{numbers[0], numbers[1], numbers[2], numbers[3]}); !b.provided[one] && b.take(sizeOfProvided) {
		b.provided[one] = true
	}
}

// number returns the index of a name in names, and adds the name when it is new.
func (b *ProvidersBuilder) number(text string) uint32 {
	if known, ok := b.numbers[text]; ok || !b.take(sizeOfProvidedName+len(text)) {
		return known
	}
	next := uint32(len(b.names))
	b.names = append(b.names, text)
	b.numbers[text] = next
	b.text += len(text)
	return next
}

// take takes bytes of Memory; it returns false when there were too few.
func (b *ProvidersBuilder) take(bytes int) bool {
	if b.err != nil {
		return false
	}
	if err := boundedBy(b.Memory).Take(bytes); err != nil {
		b.err = fmt.Errorf("keeping which packages bring which kinds: %w", err)
		return false
	}
	b.taken += bytes
	return true
}

// sorted returns what was added, in order.
func (b *ProvidersBuilder) sorted() []provider {
	name := func(number uint32) string { return b.names[number] }
	compare := func(x, y provided) int {
		return cmp.Or(cmp.Compare(name(x.group), name(y.group)), cmp.Compare(name(x.version), name(y.version)),
			cmp.Compare(name(x.kind), name(y.kind)), cmp.Compare(name(x.pkg), name(y.pkg)))
	}
	out := make([]provider, 0, len(b.provided))
	for _, each := range slices.SortedFunc(maps.Keys(b.provided), compare) {
		out = append(out, provider{GVK{Group: name(each.group), Version: name(each.version), Kind: name(each.kind)}, name(each.pkg)})
	}
	return out
}

// cut leaves out what is beyond the bounds: of everything that was ever added the first in order stay. What is left out can be
// forgotten, because what is added later only moves the bound towards the first.
func (b *ProvidersBuilder) cut() []provider {
	sorted := b.sorted()
	boundedBy(b.Memory).Return(b.taken)
	b.provided, b.numbers, b.names, b.text, b.taken = nil, nil, nil, 0, 0
	for i, each := range sorted {
		more := 0
		for _, text := range each.texts() {
			if _, known := b.numbers[text]; !known {
				more += len(text)
			}
		}
		if i == maxProvided || b.text+more > maxProvidedText {
			b.left = &each
			return sorted[:i]
		}
		b.keep(each)
	}
	return sorted
}

// Build returns what was added.
func (b *ProvidersBuilder) Build() *Providers {
	sorted := b.cut()
	out := &Providers{packages: make([]uint32, 0, len(sorted))}
	if b.left != nil {
		out.left = &b.left.gvk
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

// addKinds adds the kinds that a bundle's properties say it brings. It is for packages that nobody wants too, which are not
// checked, and whose faults are nobody's: what cannot be read brings nothing.
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

// AddProperty adds what a property of a package's bundle, its value as raw JSON, says that it brings. Properties of other types
// are ignored, and what cannot be read brings nothing.
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
