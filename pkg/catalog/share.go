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

// shared keeps one copy of what bundle after bundle repeats: the versions of an operator bring nearly the same kinds, run in
// the same install modes and need the same. What is shared must not be changed, as nothing that Build returns.
type shared struct {
	strings map[string]string
	// kinds are found by the sum of their texts, of which there would else be two copies.
	kinds map[[sha256.Size]byte][]GVK
	modes map[string]map[string]bool
	// scratch is where keys are put together.
	scratch []byte
}

func (s *shared) share(b *Bundle) {
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

func (s *shared) text(value string) string {
	if known, ok := s.strings[value]; ok {
		return known
	}
	value = strings.Clone(value)
	s.strings[value] = value
	return value
}

func (s *shared) gvks(list []GVK) []GVK {
	if len(list) == 0 {
		return nil
	}
	key := s.sumOf(list)
	if known, ok := s.kinds[key]; ok {
		return known
	}
	own := make([]GVK, len(list))
	for i, gvk := range list {
		own[i] = GVK{Group: s.text(gvk.Group), Version: s.text(gvk.Version), Kind: s.text(gvk.Kind)}
	}
	s.kinds[key] = own
	return own
}

func (s *shared) sumOf(list []GVK) [sha256.Size]byte {
	s.scratch = s.scratch[:0]
	for _, gvk := range list {
		for _, part := range []string{gvk.Group, gvk.Version, gvk.Kind} {
			s.appendText(part)
		}
	}
	return sha256.Sum256(s.scratch)
}

// appendText adds a text to scratch, after its length, so that different lists of texts make different keys.
func (s *shared) appendText(text string) {
	s.scratch = append(binary.AppendUvarint(s.scratch, uint64(len(text))), text...)
}

func (s *shared) installModes(modes map[string]bool) map[string]bool {
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

// fields are the parts of a bundle whose length is bounded by that of a name.
func (b *Bundle) fields() []field {
	fields := make([]field, 0, 6+3*len(b.ProvidedGVKs)+3*len(b.Requirements)) // enough but for compound requirements
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

// Size is what the bundle takes in memory at most; what it shares with others is counted for each.
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

// sortKinds sorts and bounds the kinds that a bundle brings.
func (d *draft) sortKinds(b *Bundle) {
	kinds := slices.Compact(slices.SortedFunc(slices.Values(b.ProvidedGVKs), GVK.Compare))
	if len(kinds) > maxGVKs {
		d.fault("bundle %s brings more than %d kinds; the others are left out", truncate.Quote(b.Name), maxGVKs)
		kinds = kinds[:maxGVKs]
	}
	b.ProvidedGVKs = kinds
}

// sortRequirements sorts and bounds what a bundle requires. What is left out is a requirement that cannot be judged: a bundle
// that needs more than is known must not look like one that needs less.
func (d *draft) sortRequirements(b *Bundle) {
	sorted := slices.SortedFunc(slices.Values(b.Requirements), Requirement.Compare)
	sorted = slices.CompactFunc(sorted, func(a, b Requirement) bool { return a.Compare(b) == 0 })
	size := 0
	for i, r := range sorted {
		if size += r.size(); size > maxRequirements {
			d.fault("bundle %s has more than %d requirements; the others are left out", truncate.Quote(b.Name), maxRequirements)
			sorted = append(sorted[:i], unsupported("more than %d requirements", maxRequirements))
			break
		}
	}
	b.Requirements = sorted
}

// Identical says whether two packages, or none, are the same content in memory: equal texts, and lists that are one list. It is
// quick whatever the size; equal content that was read twice is not identical unless somebody has made it so.
func (p *Package) Identical(other *Package) bool {
	if p == nil || other == nil || p == other {
		return p == other
	}
	return p.Name == other.Name && p.DefaultChannel == other.DefaultChannel && p.Deprecated == other.Deprecated &&
		oneList(p.Channels, other.Channels) && oneList(p.Bundles, other.Bundles) && oneList(p.UpgradeRules, other.UpgradeRules) &&
		oneList(p.Faults, other.Faults) && oneList(p.Notes, other.Notes)
}

// oneList says whether two lists are the same memory, or both are empty.
func oneList[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
