package catalog

import (
	"cmp"
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
	provided map[provided]bool
	// shared has one copy of every name, text is how many bytes they are.
	shared map[string]string
	text   int
	// left is the first that was left out; what comes after it is not kept either.
	left *provided
}

// provided is a kind and a package that brings it.
type provided struct {
	gvk GVK
	pkg string
}

func (p provided) compare(other provided) int {
	return cmp.Or(p.gvk.Compare(other.gvk), cmp.Compare(p.pkg, other.pkg))
}

func (p provided) texts() [4]string { return [4]string{p.pkg, p.gvk.Group, p.gvk.Version, p.gvk.Kind} }

// Add says that a package brings a kind in some version. A kind that nobody can require, for want of a version or a name, and
// names that are too long for a bundle are ignored.
func (b *ProvidersBuilder) Add(pkg string, gvk GVK) {
	each := provided{gvk, pkg}
	if gvk.Version == "" || gvk.Kind == "" || b.provided[each] || b.left != nil && each.compare(*b.left) >= 0 {
		return
	}
	for _, text := range each.texts() {
		if len(text) > maxName {
			return
		}
	}
	b.keep(each)
	if len(b.provided) > 2*maxProvided || b.text > 2*maxProvidedText {
		b.cut()
	}
}

func (b *ProvidersBuilder) keep(each provided) {
	if b.provided == nil {
		b.provided, b.shared = map[provided]bool{}, map[string]string{}
	}
	b.provided[provided{
		gvk: GVK{Group: b.share(each.gvk.Group), Version: b.share(each.gvk.Version), Kind: b.share(each.gvk.Kind)},
		pkg: b.share(each.pkg),
	}] = true
}

func (b *ProvidersBuilder) share(text string) string {
	known, ok := b.shared[text]
	if !ok {
		known, b.shared[text] = text, text
		b.text += len(text)
	}
	return known
}

// cut leaves out what is beyond the bounds: of everything that was ever added the first in order stay. What is left out can be
// forgotten, because what is added later only moves the bound towards the first.
func (b *ProvidersBuilder) cut() []provided {
	sorted := slices.SortedFunc(maps.Keys(b.provided), provided.compare)
	b.provided, b.shared, b.text = nil, nil, 0
	for i, each := range sorted {
		more := 0
		for _, text := range each.texts() {
			if _, known := b.shared[text]; !known {
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
