package catalog

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// interner keeps one copy of equal values in the bundles of a package, because the versions of an operator provide nearly the same kinds
// and have the same install modes and requirements. Interned values are immutable, like everything that Build returns.
type interner struct {
	strings map[string]string
	// kinds is keyed by a digest, because a key with the names would be a second copy of them.
	kinds map[[sha256.Size]byte][]GVK
	modes map[string]map[string]bool
	// scratch is a buffer in which keys are built.
	scratch []byte
}

func (s *interner) intern(b *Bundle) {
	if s.strings == nil {
		s.strings, s.kinds, s.modes = map[string]string{}, map[[sha256.Size]byte][]GVK{}, map[string]map[string]bool{}
	}
	b.MinKubeVersion = s.text(b.MinKubeVersion)
	b.SuggestedNamespace = s.text(b.SuggestedNamespace)
	b.InstallModes = s.installModes(b.InstallModes)
	b.ProvidedGVKs = s.gvks(b.ProvidedGVKs)
	for i := range b.Requirements {
		if gvk := b.Requirements[i].GVK; gvk != nil {
			b.Requirements[i].GVK = &s.gvks([]GVK{*gvk})[0]
		}
	}
}

func (s *interner) text(value string) string {
	if known, ok := s.strings[value]; ok {
		return known
	}
	value = strings.Clone(value)
	s.strings[value] = value
	return value
}

func (s *interner) gvks(list []GVK) []GVK {
	if len(list) == 0 {
		return nil
	}
	key := s.gvksKey(list)
	if known, ok := s.kinds[key]; ok {
		return known
	}
	copied := make([]GVK, len(list))
	for i, gvk := range list {
		copied[i] = GVK{Group: s.text(gvk.Group), Version: s.text(gvk.Version), Kind: s.text(gvk.Kind)}
	}
	s.kinds[key] = copied
	return copied
}

func (s *interner) gvksKey(list []GVK) [sha256.Size]byte {
	s.scratch = s.scratch[:0]
	for _, gvk := range list {
		for _, part := range []string{gvk.Group, gvk.Version, gvk.Kind} {
			s.appendText(part)
		}
	}
	return sha256.Sum256(s.scratch)
}

// appendText appends a text to scratch, preceded by its length, so that different lists of texts result in different keys.
func (s *interner) appendText(text string) {
	s.scratch = append(binary.AppendUvarint(s.scratch, uint64(len(text))), text...)
}

func (s *interner) installModes(modes map[string]bool) map[string]bool {
	if modes == nil {
		return nil
	}
	s.scratch = s.scratch[:0]
	for _, mode := range slices.Sorted(maps.Keys(modes)) {
		s.appendText(mode)
		s.scratch = strconv.AppendBool(s.scratch, modes[mode])
	}
	if known, ok := s.modes[string(s.scratch)]; ok {
		return known
	}
	s.modes[string(s.scratch)] = modes
	return modes
}

// fields returns the texts of a bundle that may have at most maxName bytes each.
func (b *Bundle) fields() []field {
	fields := make([]field, 0, 6+3*len(b.ProvidedGVKs)+3*len(b.Requirements)) // enough except for compound requirements
	fields = append(fields, field{"name", b.Name}, field{"image", b.Image}, field{"version", b.Version}, field{"release", b.Release},
		field{"minKubeVersion", b.MinKubeVersion}, field{"suggested namespace", b.SuggestedNamespace})
	for _, gvk := range b.ProvidedGVKs {
		fields = append(fields, field{"olm.gvk", gvk.Group}, field{"olm.gvk", gvk.Version}, field{"olm.gvk", gvk.Kind})
	}
	return appendFields(fields, b.Requirements)
}

func appendFields(fields []field, requirements []Requirement) []field {
	for _, r := range requirements {
		if r.GVK != nil {
			fields = append(fields, field{"required kind", r.GVK.Group}, field{"required kind", r.GVK.Version}, field{"required kind", r.GVK.Kind})
		}
		if r.Package != nil {
			fields = append(fields, field{"required package", r.Package.Name}, field{"required package", r.Package.Range})
		}
		for _, members := range [][]Requirement{r.All, r.Any, r.Not} {
			fields = appendFields(fields, members)
		}
	}
	return fields
}

// Size returns the maximum size of the bundle in memory, in bytes. It includes the full size of values that the bundle shares with others.
func (b *Bundle) Size() int {
	size := sizeOfBundle + len(b.CreatedAt) + len(b.ProvidedGVKs)*sizeOfKind
	for _, r := range b.Requirements {
		size += r.size() * sizeOfRequirement
	}
	for _, each := range b.fields() {
		size += len(each.text)
	}
	return size
}

// sortKinds sorts the kinds that a bundle provides and removes duplicates. It omits those beyond maxGVKs, and adds a fault.
func (d *packageBuilder) sortKinds(b *Bundle) {
	kinds := slices.Compact(slices.SortedFunc(slices.Values(b.ProvidedGVKs), GVK.Compare))
	if len(kinds) > maxGVKs {
		d.addFault("bundle %s provides more than %d kinds; the others are left out", truncate.Quote(b.Name), maxGVKs)
		kinds = kinds[:maxGVKs]
	}
	b.ProvidedGVKs = kinds
}

// sortRequirements sorts a bundle's requirements and removes duplicates. It omits those beyond maxRequirements. In that case it adds a
// fault and an unsupported requirement, because the bundle must not appear to have fewer requirements.
func (d *packageBuilder) sortRequirements(b *Bundle) {
	sorted := slices.SortedFunc(slices.Values(b.Requirements), Requirement.Compare)
	sorted = slices.CompactFunc(sorted, func(a, b Requirement) bool { return a.Compare(b) == 0 })
	size := 0
	for i, r := range sorted {
		if size += r.size(); size > maxRequirements {
			d.addFault("bundle %s has more than %d requirements; the others are left out", truncate.Quote(b.Name), maxRequirements)
			sorted = append(sorted[:i], unsupported("more than %d requirements", maxRequirements))
			break
		}
	}
	b.Requirements = sorted
}

// IsIdentical reports, in constant time, whether two packages share their memory: whether their texts are equal and their slices are the
// same. Either may be nil. Packages with equal content from two reads are identical only if the caller made them share memory.
func (p *Package) IsIdentical(other *Package) bool {
	if p == nil || other == nil || p == other {
		return p == other
	}
	return p.Name == other.Name && p.DefaultChannel == other.DefaultChannel && p.Deprecated == other.Deprecated &&
		isSameSlice(p.Channels, other.Channels) && isSameSlice(p.Bundles, other.Bundles) && isSameSlice(p.UpgradeRules, other.UpgradeRules) &&
		isSameSlice(p.Faults, other.Faults) && isSameSlice(p.Notes, other.Notes)
}

// isSameSlice reports whether two slices have the same memory, or are both empty.
func isSameSlice[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
