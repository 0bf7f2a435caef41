package resolve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-air/gini/z"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// member is an operator of a group, with what may become of it.
type member struct {
	*study
	// classes are its alternatives, the best first; the last one is that it stays what it is, installed or not.
	classes []class
	// untried are wishes beyond maxClasses, and all of who comes after maxGroup others.
	untried []*option
	// brings are the kinds of all its classes, sorted.
	brings []catalog.GVK
	// chosen is the class that it gets.
	chosen int
}

// class is a set of alternatives that make no difference to others.
type class struct {
	wishes []*option
	// moments are what runs next and what runs in the end; a moment without a version is that nothing does.
	moments [2]moment
	stays   bool
	// is says in the puzzle that the operator gets it.
	is z.Lit
}

// moment is what runs of an operator at some time.
type moment struct {
	version  upgrade.Version
	brings   []catalog.GVK
	requires []catalog.Requirement
}

func (m moment) meets(around *surroundings, pkg string, leaf catalog.Requirement) bool {
	if m.version.IsZero() {
		return false
	}
	if leaf.GVK != nil {
		_, found := slices.BinarySearchFunc(m.brings, *leaf.GVK, catalog.GVK.Compare)
		return found
	}
	covers, ok := around.covers(leaf.Package.Range)
	return ok && leaf.Package.Name == pkg && m.version.In(covers)
}

func (m *member) stay() *class { return &m.classes[len(m.classes)-1] }

// newMember sorts what an operator would like to run into classes: those of which the same is required, which require the
// same and bring the same. mentioned are the packages that anybody in the group requires, most is how many classes there may
// be beside that it stays.
func newMember(s *study, mentioned []catalog.Requirement, most int) *member {
	m := &member{study: s}
	installed, known := s.staying()
	stay := class{stays: true, moments: [2]moment{momentOf(installed), momentOf(installed)}}
	if kinds := s.ask.around.kinds[s.ask.Operator]; len(kinds) > 0 && !s.ask.installed.IsZero() {
		brings := slices.Concat(stay.moments[0].brings, kinds)
		slices.SortFunc(brings, catalog.GVK.Compare)
		brings = slices.Compact(brings)
		stay.moments[0].brings, stay.moments[1].brings = brings, brings
	}
	at, sets := map[string]int{}, newRangeSets(s, mentioned)
	for _, wish := range s.wishes() {
		if known && s.ask.isInstalled(wish) {
			break
		}
		next := s.journey.next(wish)
		each := class{wishes: []*option{wish}, moments: [2]moment{momentOf(next), momentOf(wish)}}
		key := each.moments[0].key(sets) + "\x00" + each.moments[1].key(sets)
		switch before, known := at[key]; {
		case known:
			m.classes[before].wishes = append(m.classes[before].wishes, wish)
		case len(m.classes) >= most:
			m.untried = append(m.untried, wish)
		default:
			at[key] = len(m.classes)
			m.classes = append(m.classes, each)
		}
	}
	m.classes = append(m.classes, stay)
	for _, c := range m.classes {
		m.brings = slices.Concat(m.brings, c.moments[0].brings, c.moments[1].brings)
	}
	slices.SortFunc(m.brings, catalog.GVK.Compare)
	m.brings = slices.Compact(m.brings)
	return m
}

func momentOf(o *option) moment {
	return moment{version: o.Version, brings: o.Bundle.ProvidedGVKs, requires: o.Bundle.Requirements}
}

// key is equal for moments that make no difference to others.
func (m moment) key(sets rangeSets) string {
	var key strings.Builder
	if len(m.brings) > 0 {
		fmt.Fprintf(&key, "%p %d ", &m.brings[0], len(m.brings)) // bundles share their lists; that equal ones differ here costs time only
	}
	fmt.Fprintf(&key, "%d ", sets.of(m.version))
	for _, r := range m.requires {
		key.WriteString("\x00" + r.String())
	}
	return key.String()
}

// label names the operator in a message.
func (m *member) label() string { return fmt.Sprintf("PlatformOperator %q", m.ask.Operator) }

// versions are those in which the operator would run something that has a property, the best first, at most a few.
func (m *member) versions(has func(moment) bool) string {
	var versions []string
	add := func(c class, v upgrade.Version) {
		if slices.ContainsFunc(c.moments[:], has) {
			versions = append(versions, clip(v.String(), maxQuoted))
		}
	}
	for _, c := range m.classes {
		for _, wish := range c.wishes {
			add(c, wish.Version)
		}
	}
	if stay := m.stay(); !stay.moments[0].version.IsZero() {
		add(*stay, stay.moments[0].version)
	}
	return list(versions, ", ", maxLeaves)
}

// becomes says what the operator gets.
func (m *member) becomes(c class) string {
	switch {
	case !c.stays && !m.ask.installed.IsZero():
		return fmt.Sprintf("%s goes to %s", m.label(), clip(c.wishes[0].Version.String(), maxQuoted))
	case !c.stays:
		return fmt.Sprintf("%s gets %s", m.label(), clip(c.wishes[0].Version.String(), maxQuoted))
	case m.ask.installed.IsZero():
		return m.label() + " cannot be installed"
	}
	return fmt.Sprintf("%s stays at %s", m.label(), clip(m.ask.installed.String(), maxQuoted))
}
