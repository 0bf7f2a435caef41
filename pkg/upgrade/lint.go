package upgrade

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// FindingKind says what is the matter with a package, one of a fixed set.
type FindingKind string

// What can be the matter with a package.
const (
	// RulesUnreadable: nothing moves while the rules cannot be read.
	RulesUnreadable FindingKind = "RulesUnreadable"
	// StrandedVersion: nothing follows a version that is not the head.
	StrandedVersion FindingKind = "StrandedVersion"
	// CutOffVersion: what follows a version does not lead to the head.
	CutOffVersion FindingKind = "CutOffVersion"
	// UnreachableHead: nothing leads to the head.
	UnreachableHead FindingKind = "UnreachableHead"
	// SeveralHeads: a channel has more than one entry that no other replaces or skips.
	SeveralHeads FindingKind = "SeveralHeads"
	// ReplacesCycle: entries of a channel replace one another in a circle.
	ReplacesCycle FindingKind = "ReplacesCycle"
	// Descent: an entry replaces or skips what is newer than its bundle.
	Descent FindingKind = "Descent"
	// UnreadableSkipRange: a skipRange leads nowhere because it cannot be read.
	UnreadableSkipRange FindingKind = "UnreadableSkipRange"
	// EntryWithoutBundle: a channel's entry names a bundle that is not there.
	EntryWithoutBundle FindingKind = "EntryWithoutBundle"
	// IdleStep: a step that concerns no move.
	IdleStep FindingKind = "IdleStep"
	// EmptyStep: there is no version in the range that a step leads through.
	EmptyStep FindingKind = "EmptyStep"
	// StepWithoutLatest: there are versions in the range, and none that could be the latest.
	StepWithoutLatest FindingKind = "StepWithoutLatest"
	// ClosingStep: there are versions in the range, and no way leads through them.
	ClosingStep FindingKind = "ClosingStep"
	// BypassedStep: from a version below those that a step leads through a way leads past it.
	BypassedStep FindingKind = "BypassedStep"
	// OvershotStep: whoever owes a step gets without it to a version above those that it guards.
	OvershotStep FindingKind = "OvershotStep"
	// UnsaidSemantics: rules do not say which semantics the package has, and take edges of its channels away by that.
	UnsaidSemantics FindingKind = "UnsaidSemantics"
	// ContradictorySteps: each step leaves a way, and all together leave none.
	ContradictorySteps FindingKind = "ContradictorySteps"
)

// Finding is one thing that the author of a package may want to look at.
type Finding struct {
	Kind FindingKind
	// Semantics are those under which it is so; empty where semantics have no part in it.
	Semantics Semantics
	// Subject is what it is about: a version, a channel, an entry, a step.
	Subject string
	// Says is the rest of a sentence that begins with the subject.
	Says string
	// Do is what would do about it.
	Do string
}

func (f Finding) String() string {
	under := ""
	if f.Semantics != "" {
		under = fmt.Sprintf("under %s semantics ", f.Semantics)
	}
	return fmt.Sprintf("%s: %s%s %s; %s", f.Kind, under, f.Subject, f.Says, f.Do)
}

// Lint looks over a package as its author wrote it. Findings come in a stable order; there are at most a few for each
// bundle, entry and step. What stranded and cut off mean is said at Move.
func Lint(pkg Package) []Finding {
	pkg.SelfCertified, pkg.Override = false, ""
	g := New(pkg)
	var findings []Finding
	for _, unreadable := range g.pkg.Unreadable {
		findings = append(findings, Finding{
			Kind: RulesUnreadable, Subject: "the rules", Says: "cannot be read: " + clip(unreadable, maxCause), Do: "correct them: until then nothing moves",
		})
	}
	findings = append(findings, g.lintUnsaid()...)
	for _, semantics := range everySemantics {
		findings = append(findings, g.under(semantics).lintEdges(semantics)...)
	}
	for _, channel := range g.channels {
		findings = append(findings, g.lintChannel(channel)...)
	}
	findings = append(findings, g.lintEntries()...)
	findings = append(findings, g.lintDescents()...)
	told := map[string]bool{}
	for i := range g.steps {
		for _, finding := range g.lintStep(i) {
			told[finding.Subject] = true
			findings = append(findings, finding)
		}
	}
	return append(findings, g.lintWays(told)...)
}

func (g *Graph) lintEdges(semantics Semantics) (findings []Finding) {
	head := g.Head()
	if head < 0 {
		return nil
	}
	what := map[Semantics]string{Channel: "a replaces, skips or skipRange that leads on from it", Semver: "a version that semantic versioning promises to follow it", Both: "a replaces, skips or skipRange that leads on from it"}[semantics]
	newest := g.bundles[head].Version
	stranded, cutOff := g.astray(head)
	for at, bundle := range g.bundles {
		switch {
		case stranded.has(at):
			findings = append(findings, Finding{StrandedVersion, semantics, bundle.Version.String(), fmt.Sprintf("has no successor, and the head is %s", newest), "publish " + what})
		case cutOff.has(at):
			findings = append(findings, Finding{CutOffVersion, semantics, bundle.Version.String(), fmt.Sprintf("has successors, and none of them leads to the head %s", newest), "publish " + what + " to the head, or on from where its ways end"})
		}
	}
	reached := g.levels[head] == 0 // nothing is lower
	for at := range g.bundles[:head] {
		reached = reached || g.edge(g.bundles[at], head)
	}
	if !reached {
		findings = append(findings, Finding{UnreachableHead, semantics, newest.String(), "is the head, and no version leads to it", "name in its entry what it replaces"})
	}
	return findings
}

// lintChannel follows what a channel's entries replace.
func (g *Graph) lintChannel(channel string) (findings []Finding) {
	replaces, passed := map[string]string{}, map[string]bool{}
	for _, entry := range g.entries {
		if entry.Channel != channel {
			continue
		}
		replaces[entry.Name] = entry.Replaces // of entries of one name the last in order counts: those before may have none
		for _, name := range append(slices.Clone(entry.Skips), entry.Replaces) {
			passed[name] = passed[name] || name != entry.Name
		}
	}
	subject := fmt.Sprintf("channel %.80q", channel)
	names := slices.Sorted(maps.Keys(replaces))
	heads := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return passed[name] })
	if len(heads) > 1 {
		findings = append(findings, Finding{Kind: SeveralHeads, Subject: subject, Says: fmt.Sprintf("has %d heads: %s", len(heads), quoted(heads)), Do: "let one of them replace or skip the others"})
	}
	seen := map[string]bool{}
	for _, name := range names {
		var trail []string
		for at := name; !seen[at]; at = replaces[at] {
			if _, there := replaces[at]; !there {
				break
			}
			seen[at] = true
			trail = append(trail, at)
		}
		if len(trail) == 0 {
			continue
		}
		if begin := slices.Index(trail, replaces[trail[len(trail)-1]]); begin >= 0 {
			findings = append(findings, Finding{Kind: ReplacesCycle, Subject: subject, Says: "has entries that replace one another in a circle: " + quoted(trail[begin:]), Do: "take one of these replaces out"})
		}
	}
	return findings
}

func (g *Graph) lintEntries() (findings []Finding) {
	for _, entry := range g.entries {
		subject := fmt.Sprintf("entry %.80q in channel %.80q", entry.Name, entry.Channel)
		if len(entry.to) == 0 {
			findings = append(findings, Finding{Kind: EntryWithoutBundle, Subject: subject, Says: "names a bundle that the package does not have", Do: "add the bundle, or take the entry out"})
		}
		if entry.SkipRange != "" && entry.covers == nil {
			findings = append(findings, Finding{Kind: UnreadableSkipRange, Subject: subject, Says: fmt.Sprintf("has the skipRange %.80q, which is no version range and leads nowhere", entry.SkipRange), Do: `write it like ">=1.0.0 <1.3.0"`})
		}
	}
	return findings
}

func (g *Graph) lintDescents() (findings []Finding) {
	type cause struct {
		to     int
		source Source
	}
	newest, count := map[cause]int{}, map[cause]int{}
	var causes []cause
	for _, edge := range g.Descents() {
		for _, source := range edge.Sources {
			by := cause{edge.To, source}
			if count[by] == 0 {
				causes = append(causes, by)
			}
			count[by]++
			newest[by] = edge.From // they come in ascending order
		}
	}
	for _, by := range causes {
		findings = append(findings, Finding{
			Kind: Descent, Subject: fmt.Sprintf("entry %.80q in channel %.80q", g.bundles[by.to].Name, by.source.Channel),
			Says: fmt.Sprintf("has a %s that leads down to %s from %d higher versions, such as %s; nobody is moved down by it", by.source.Kind, g.bundles[by.to].Version, count[by], g.bundles[newest[by]].Version),
			Do:   "let it name lower versions only",
		})
	}
	return findings
}

// lintStep looks at one step by itself.
func (g *Graph) lintStep(i int) []Finding {
	s, bit := &g.steps[i], uint64(1)<<i
	lowest := slices.IndexFunc(g.masks, func(m mask) bool { return m.owes&bit != 0 })
	applies := lowest >= 0 && slices.ContainsFunc(g.masks[lowest:], func(m mask) bool { return m.wants&bit != 0 })
	switch {
	case !applies:
		return []Finding{{
			Kind: IdleStep, Subject: s.name, Says: fmt.Sprintf("concerns no move: no version in %q that is not past it has a higher one in %q", s.From, s.To), Do: "correct its ranges, or take it out",
		}}
	case s.inside.empty():
		return []Finding{{
			Kind: EmptyStep, Subject: s.name, Says: fmt.Sprintf("leads through %q, where there is no version: whoever owes it never gets to %q", s.Through, s.To), Do: "publish a version there, or correct the range",
		}}
	case s.Select == Latest && s.latest < 0:
		return []Finding{{
			Kind: StepWithoutLatest, Subject: s.name, Says: fmt.Sprintf("wants the latest in %q, where all are deprecated, pre-releases, or nothing this cluster may run", s.Through), Do: `publish a release there, or let it select "any"`,
		}}
	}
	return g.lintWaysAround(i)
}

// lintWays looks for moves that the semantics permit and the steps make impossible. told are steps whose fault is known.
func (g *Graph) lintWays(told map[string]bool) (findings []Finding) {
	if len(g.steps) == 0 || len(g.pkg.Unreadable) > 0 {
		return nil
	}
	type question struct {
		account account
		wants   uint64
	}
	asked := map[question]bool{}
	for _, bundle := range g.bundles {
		r := g.From(bundle, nil)
		free := r.searched(search{from: start})
		for to := len(g.bundles) - 1; to >= 0; to-- {
			about := question{r.account, g.masks[to].wants}
			if free[to] == nil || r.best[to] != nil || asked[about] {
				continue
			}
			asked[about] = true
			if finding := r.closed(to); !told[finding.Subject] {
				told[finding.Subject] = true
				findings = append(findings, finding)
			}
		}
	}
	return findings
}

// closed says which steps close every way to a bundle that there would be one to.
func (r *Reach) closed(to int) Finding {
	closing := r.closing(to)
	names := namesOf(closing)
	move := fmt.Sprintf("%s to %s", r.installed.Version, r.graph.bundles[to].Version)
	if len(closing) == 1 {
		return Finding{Kind: ClosingStep, Subject: names[0], Says: fmt.Sprintf("leaves no way from %s: %s", move, r.missing(closing[0], to)), Do: "publish a version to pass through, and an edge to it and on from it"}
	}
	return Finding{Kind: ContradictorySteps, Subject: strings.Join(names, " and "), Says: fmt.Sprintf("leave no way together from %s, though each alone would", move), Do: "let the ranges agree"}
}

func quoted(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, fmt.Sprintf("%.80q", name))
	}
	return listed(all)
}
