package resolve

import (
	"cmp"
	"strings"

	blang "github.com/blang/semver/v4"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// World is what there is around the PlatformOperators.
type World struct {
	// Catalogs are what the catalogs of the cluster have of a package; nil is none. It is asked once for every package, and what
	// it returns must not be changed any more.
	Catalogs func(pkg string) []Catalog
	// Unlisted are the kinds of catalogs of which it is not known which there are, sorted: there may be more than Catalogs says.
	Unlisted []string
	// Kinds are those that the cluster serves.
	Kinds []Kind
	// Foreign are the packages that others than PlatformOperators have installed.
	Foreign []Foreign
	// Providers says of each catalog which packages of it bring a kind, for messages; nil where nobody knows any. It is asked
	// once for every kind of which anything is said.
	Providers func(gvk catalog.GVK) []Providers
	// Limit bounds the search for one operator's paths, and the explanation of what is refused, and again the comparison of its versions
	// with the ranges that operators require; without Steps there may be a default number of them. A Cache is always to be asked with the
	// same one. When Done is closed, all searches end. The decision is then incomplete: a Cache does not keep it, and the caller discards
	// it.
	Limit upgrade.Limit
}

// Kind is a kind that the cluster serves.
type Kind struct {
	catalog.GVK
	// Operator is the PlatformOperator whose bundle brought it, empty where none did.
	Operator string
	// Installer is who else brought it, as messages name it: "Subscription operators/quay". Where nobody is named at all, the
	// kind is there for everybody to rely on and for anybody to bring.
	Installer string
}

// Foreign is a package that another than a PlatformOperator has installed.
type Foreign struct {
	Package string
	// Version is the installed version, empty where it is not known.
	Version string
	// Installer is the object that did it, as messages name it: "ClusterExtension quay".
	Installer string
}

func (w World) catalogs(pkg string) []Catalog {
	if w.Catalogs == nil {
		return nil
	}
	return w.Catalogs(pkg)
}

// surroundings is a World made ready to be asked, with the operators that are decided about.
type surroundings struct {
	world World
	// served are the kinds that are there whatever the operators do, kinds those that an operator has brought.
	served map[catalog.GVK]Kind
	kinds  map[string][]catalog.GVK
	// alien says that any of the served kinds has an installer.
	alien   bool
	foreign map[string]foreigner
	// bringers are the operators that bring a kind in some version, packages those that ask for a package.
	bringers map[catalog.GVK][]*study
	packages map[string][]*study
	// holders names, for each package that is asked for, the first operator that does, decided about or not.
	holders map[string]string
	// ranges are the ranges of required packages that have been read, nil for those that cannot be.
	ranges map[string]blang.Range
	// providers are the answers of world.Providers.
	providers map[catalog.GVK][]Providers
}

type foreigner struct {
	Foreign
	version upgrade.Version
}

// newSurroundings makes a World ready; the requests are in order of precedence.
func newSurroundings(requests []Request, world World) *surroundings {
	around := &surroundings{
		world:    world,
		served:   map[catalog.GVK]Kind{},
		kinds:    map[string][]catalog.GVK{},
		foreign:  map[string]foreigner{},
		bringers: map[catalog.GVK][]*study{},
		packages: map[string][]*study{},
		holders:  map[string]string{},
		ranges:   map[string]blang.Range{},

		providers: map[catalog.GVK][]Providers{},
	}
	operators := map[string]bool{}
	for _, req := range requests {
		operators[req.Operator] = true
		if _, known := around.holders[req.Package]; !known {
			around.holders[req.Package] = req.Operator
		}
	}
	for _, kind := range world.Kinds {
		if kind.Operator != "" && operators[kind.Operator] {
			around.kinds[kind.Operator] = append(around.kinds[kind.Operator], kind.GVK)
			continue
		}
		if before, known := around.served[kind.GVK]; !known || before.Installer == "" || kind.Installer != "" && kind.Installer < before.Installer {
			around.served[kind.GVK] = kind
		}
		around.alien = around.alien || kind.Installer != ""
	}
	for _, each := range world.Foreign {
		next := foreigner{Foreign: each}
		next.version, _ = upgrade.ParseVersion(each.Version, "")
		if before, known := around.foreign[each.Package]; !known || each.Installer < before.Installer {
			around.foreign[each.Package] = next
		}
	}
	return around
}

// limit bounds the work that is done about one operator.
func (around *surroundings) limit() upgrade.Limit {
	limit := around.world.Limit
	limit.Steps = cmp.Or(limit.Steps, maxWork)
	return limit
}

// alone is the same cluster before any operators are decided about.
func (around *surroundings) alone() *surroundings {
	again := *around
	again.bringers, again.packages = map[catalog.GVK][]*study{}, map[string][]*study{}
	return &again
}

// meet makes the operators known to one another.
func (around *surroundings) meet(studies []*study) {
	for _, s := range studies {
		around.packages[s.ask.Package] = append(around.packages[s.ask.Package], s)
		seen := map[*catalog.GVK]bool{} // bundles share their lists
		for _, o := range s.options {
			if len(o.Bundle.ProvidedGVKs) == 0 || seen[&o.Bundle.ProvidedGVKs[0]] {
				continue
			}
			seen[&o.Bundle.ProvidedGVKs[0]] = true
			around.brings(s, o.Bundle.ProvidedGVKs)
		}
		around.brings(s, around.kinds[s.ask.Operator])
	}
}

func (around *surroundings) brings(s *study, kinds []catalog.GVK) {
	for _, gvk := range kinds {
		if bringers := around.bringers[gvk]; len(bringers) == 0 || bringers[len(bringers)-1] != s {
			around.bringers[gvk] = append(bringers, s)
		}
	}
}

// providersOf are the answers of the world's Providers, which is asked once for every kind.
func (around *surroundings) providersOf(gvk catalog.GVK) []Providers {
	found, known := around.providers[gvk]
	if !known {
		found = around.world.Providers(gvk)
		around.providers[gvk] = found
	}
	return found
}

// covers reads a range of a required package; ok is false where it cannot be read.
func (around *surroundings) covers(text string) (covers blang.Range, ok bool) {
	covers, known := around.ranges[text]
	if !known {
		switch {
		case strings.TrimSpace(text) == "":
			covers = func(blang.Version) bool { return true }
		case len(text) <= maxRange:
			covers = upgrade.ReadRange(text)
		}
		around.ranges[text] = covers
	}
	return covers, covers != nil
}

// constant says whether a leaf of a requirement is met by what is there whatever the operators do.
func (around *surroundings) constant(leaf catalog.Requirement) bool {
	switch {
	case leaf.GVK != nil:
		_, served := around.served[*leaf.GVK]
		return served
	case leaf.Package == nil:
		return false
	}
	covers, ok := around.covers(leaf.Package.Range)
	there, known := around.foreign[leaf.Package.Name]
	return ok && known && (there.version.In(covers) || there.version.IsZero() && strings.TrimSpace(leaf.Package.Range) == "")
}

// concerned are the operators that could meet a leaf of a requirement, or be in its way.
func (around *surroundings) concerned(leaf catalog.Requirement) []*study {
	switch {
	case leaf.GVK != nil:
		return around.bringers[*leaf.GVK]
	case leaf.Package != nil:
		return around.packages[leaf.Package.Name]
	}
	return nil
}
