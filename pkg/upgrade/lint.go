package upgrade

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// FindingKind is the kind of problem in a package, one of a fixed set.
type FindingKind string

// Kinds of problems in a package.
const (
	// RulesUnreadable: the rules cannot be read, so no version can be upgraded.
	RulesUnreadable FindingKind = "RulesUnreadable"
	// StrandedVersion: a version that is not the head has no successor.
	StrandedVersion FindingKind = "StrandedVersion"
	// CutOffVersion: a version's successors do not lead to the head.
	CutOffVersion FindingKind = "CutOffVersion"
	// UnreachableHead: no edge leads to the head.
	UnreachableHead FindingKind = "UnreachableHead"
	// SeveralHeads: a channel has several entries that no other entry replaces or skips.
	SeveralHeads FindingKind = "SeveralHeads"
	// ReplacesCycle: entries of a channel replace one another in a cycle.
	ReplacesCycle FindingKind = "ReplacesCycle"
	// DowngradeEntry: an entry replaces or skips (by name or by skipRange) a version that is newer than its own.
	DowngradeEntry FindingKind = "DowngradeEntry"
	// UnreadableSkipRange: a skipRange has no effect because it cannot be parsed.
	UnreadableSkipRange FindingKind = "UnreadableSkipRange"
	// EntryWithoutBundle: a channel's entry names a bundle that the package does not contain.
	EntryWithoutBundle FindingKind = "EntryWithoutBundle"
	// IdleStep: a step applies to no upgrade.
	IdleStep FindingKind = "IdleStep"
	// EmptyStep: no version is in a step's Through range.
	EmptyStep FindingKind = "EmptyStep"
	// StepWithoutLatest: versions are in the Through range, but none of them can be the latest.
	StepWithoutLatest FindingKind = "StepWithoutLatest"
	// ClosingStep: versions are in the Through range, but the step leaves no path through them.
	ClosingStep FindingKind = "ClosingStep"
	// BypassedStep: from a version below a step's From range, a path leads around its Through range.
	BypassedStep FindingKind = "BypassedStep"
	// OvershotStep: an operator to which a step applies can reach a version above the step's To range without satisfying the step.
	OvershotStep FindingKind = "OvershotStep"
	// SemanticsNotSet: the rules of a package with channel edges do not set semantics, so that only semver edges exist.
	SemanticsNotSet FindingKind = "SemanticsNotSet"
	// ContradictorySteps: each step alone permits a path, but all of them together permit none.
	ContradictorySteps FindingKind = "ContradictorySteps"
	// ForbiddenUpgrades: a step forbids direct upgrades that the semantics permit. ForbiddenUpgradesOf finds it; it is not a problem.
	ForbiddenUpgrades FindingKind = "ForbiddenUpgrades"
	// UnusableContent: a blob of the catalog, or a part of one, cannot be used. FromCatalog finds it.
	UnusableContent FindingKind = "UnusableContent"
	// UnreadableVersion: a bundle has no semantic version, so it cannot be installed. FromCatalog finds it.
	UnreadableVersion FindingKind = "UnreadableVersion"
)

// Finding is one possible problem in a package, reported to its author.
type Finding struct {
	Kind FindingKind
	// Semantics are the semantics under which the problem exists; empty if the problem does not depend on them.
	Semantics Semantics
	// Subject is the version, channel, entry or step with the problem.
	Subject string
	// Problem is a clause that completes a sentence beginning with the subject.
	Problem string
	// Remedy is what the author can do about the problem, as a clause.
	Remedy string
}

// Lint checks a package as its author wrote it, without Override and SelfCertified. The findings have a stable order; there are at most a
// few for each bundle, entry and step. Outcome defines "stranded" and "cut off".
func Lint(pkg Package) []Finding {
	pkg.SelfCertified, pkg.Override = false, ""
	g := New(pkg)
	var findings []Finding
	for _, unreadable := range g.pkg.Unreadable {
		findings = append(findings, Finding{
			Kind: RulesUnreadable, Subject: "the rules", Problem: "cannot be read: " + clip(unreadable, maxCause), Remedy: "correct them: until then no operator is upgraded",
		})
	}
	findings = append(findings, g.lintImplicitSemantics()...)
	for _, semantics := range allSemantics {
		findings = append(findings, g.withSemantics(semantics).lintEdges(semantics)...)
	}
	for _, channel := range g.channels {
		findings = append(findings, g.lintChannel(channel)...)
	}
	findings = append(findings, g.lintEntries()...)
	findings = append(findings, g.lintDowngradeEntries()...)
	reported := map[string]bool{}
	for i := range g.steps {
		for _, finding := range g.lintStep(i) {
			reported[finding.Subject] = true
			findings = append(findings, finding)
		}
	}
	return append(findings, g.lintBlockedHops(reported)...)
}

func (g *Graph) lintEdges(semantics Semantics) (findings []Finding) {
	head := g.Head()
	if head < 0 {
		return nil
	}
	// Semver leads to the head from every version that it could lead from, so another version does not help: only a channel edge does.
	leadOn := "publish a replaces, skips or skipRange that leads on from it"
	if semantics == Semver {
		leadOn = g.permitChannelEdges() + ", and let a replaces, skips or skipRange lead on from it"
	}
	leadToHead := leadOn + " to the head, or from the end of its paths"
	newest := g.bundles[head].Version
	stranded, cutOff := g.strandedAndCutOff(head)
	for at, bundle := range g.bundles {
		switch {
		case stranded.has(at):
			findings = append(findings, Finding{StrandedVersion, semantics, bundle.Version.String(), fmt.Sprintf("has no successor, and the head is %s", newest), leadOn})
		case cutOff.has(at):
			findings = append(findings, Finding{CutOffVersion, semantics, bundle.Version.String(), fmt.Sprintf("has successors, and none of them leads to the head %s", newest), leadToHead})
		}
	}
	reached := g.levels[head] == 0 // no bundle has a lower version
	for at := range g.bundles[:head] {
		reached = reached || g.edge(g.bundles[at], head)
	}
	if !reached {
		remedy := g.unreachableHeadRemedy(semantics, head)
		findings = append(findings, Finding{UnreachableHead, semantics, newest.String(), "is the head, and no version leads to it", remedy})
	}
	return findings
}

// unreachableHeadRemedy returns the remedy for a head to which no edge leads under the semantics.
func (g *Graph) unreachableHeadRemedy(semantics Semantics, head int) string {
	const replaceLower = "let its entry replace or skip a lower version of the package"
	if semantics != Semver {
		return replaceLower
	}
	for _, bundle := range g.bundles[:head] {
		if len(g.channelSources(bundle, head)) > 0 {
			return g.permitChannelEdges() + ", so that the channel edges to it count"
		}
	}
	return g.permitChannelEdges() + ", and " + replaceLower
}

// permitChannelEdges returns the remedy by which channel edges count for a package of which only semver edges count: a change of the rules
// or, if an admin selects the semantics, advice to the admin.
func (g *Graph) permitChannelEdges() string {
	if g.pkg.EffectiveSemantics() == Semver {
		return `write "semantics: both" in the rules`
	}
	return "advise admins against spec.upgrades.edges: Semver"
}

// lintChannel finds several heads in a channel, and cycles of replaces among its entries.
func (g *Graph) lintChannel(channel string) (findings []Finding) {
	replaces, passed := map[string]string{}, map[string]bool{}
	for _, entry := range g.entries {
		if entry.Channel != channel {
			continue
		}
		replaces[entry.Name] = entry.Replaces // of several entries with one name, the last one is used: earlier ones may have no replaces
		for _, name := range append(slices.Clone(entry.Skips), entry.Replaces) {
			passed[name] = passed[name] || name != entry.Name
		}
	}
	subject := fmt.Sprintf("channel %.80q", channel)
	names := slices.Sorted(maps.Keys(replaces))
	heads := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return passed[name] })
	if len(heads) > 1 {
		findings = append(findings, Finding{Kind: SeveralHeads, Subject: subject, Problem: fmt.Sprintf("has %d heads: %s", len(heads), quoteAll(heads)), Remedy: "let one of them replace or skip the others"})
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
			findings = append(findings, Finding{Kind: ReplacesCycle, Subject: subject, Problem: "has entries that replace one another in a circle: " + quoteAll(trail[begin:]), Remedy: "remove one of these replaces"})
		}
	}
	return findings
}

func (g *Graph) lintEntries() (findings []Finding) {
	for _, entry := range g.entries {
		subject := fmt.Sprintf("entry %.80q in channel %.80q", entry.Name, entry.Channel)
		if len(entry.to) == 0 {
			findings = append(findings, Finding{Kind: EntryWithoutBundle, Subject: subject, Problem: "names a bundle that the package does not have", Remedy: "add the bundle, or remove the entry"})
		}
		if entry.SkipRange != "" && entry.covers == nil {
			findings = append(findings, Finding{Kind: UnreadableSkipRange, Subject: subject, Problem: fmt.Sprintf("has the skipRange %.80q, which is not a version range and permits no upgrade", entry.SkipRange), Remedy: `write it like ">=1.0.0 <1.3.0"`})
		}
	}
	return findings
}

func (g *Graph) lintDowngradeEntries() (findings []Finding) {
	type cause struct {
		to     int
		source Source
	}
	newest, count := map[cause]int{}, map[cause]int{}
	var causes []cause
	for _, edge := range g.Downgrades() {
		for _, source := range edge.Sources {
			by := cause{edge.To, source}
			if count[by] == 0 {
				causes = append(causes, by)
			}
			count[by]++
			newest[by] = edge.From // edges are in ascending order
		}
	}
	for _, by := range causes {
		findings = append(findings, Finding{
			Kind: DowngradeEntry, Subject: fmt.Sprintf("entry %.80q in channel %.80q", g.bundles[by.to].Name, by.source.Channel),
			Problem: fmt.Sprintf("has a %s that leads down to %s from %d higher versions, such as %s; it downgrades no operator", by.source.Kind, g.bundles[by.to].Version, count[by], g.bundles[newest[by]].Version),
			Remedy:  "let it name lower versions only",
		})
	}
	return findings
}

// lintStep checks one step and ignores the other steps.
func (g *Graph) lintStep(i int) []Finding {
	s, bit := &g.steps[i], uint64(1)<<i
	lowest := slices.IndexFunc(g.masks, func(m stepMask) bool { return m.triggers&bit != 0 })
	applies := lowest >= 0 && slices.ContainsFunc(g.masks[lowest:], func(m stepMask) bool { return m.requires&bit != 0 })
	switch {
	case !applies:
		return []Finding{{
			Kind: IdleStep, Subject: s.name, Problem: fmt.Sprintf("concerns no move: no version in %q that is not past it has a higher one in %q", s.From, s.To), Remedy: "correct its ranges, or remove the step",
		}}
	case s.through.empty():
		return []Finding{{
			Kind: EmptyStep, Subject: s.name, Problem: fmt.Sprintf("leads through %q, which has no version: an operator that needs it never reaches %q", s.Through, s.To), Remedy: "publish a version there, or correct the range",
		}}
	case s.Select == Latest && s.latest < 0:
		return []Finding{{
			Kind: StepWithoutLatest, Subject: s.name, Problem: fmt.Sprintf("selects the latest version in %q, where every version is deprecated, a pre-release, or not permitted on this cluster", s.Through), Remedy: `publish a release there, or let it select "any"`,
		}}
	}
	return g.lintBypasses(i)
}

// lintBlockedHops finds upgrades that the semantics permit but the steps prevent. reported holds the subjects that already have a finding;
// lintBlockedHops adds those that it reports.
func (g *Graph) lintBlockedHops(reported map[string]bool) (findings []Finding) {
	if len(g.steps) == 0 || len(g.pkg.Unreadable) > 0 {
		return nil
	}
	type query struct {
		progress progress
		wants    uint64
	}
	checked := map[query]bool{}
	for _, bundle := range g.bundles {
		r := g.From(bundle, nil)
		withoutSteps := r.cachedSearch(searchOptions{from: start})
		for to := len(g.bundles) - 1; to >= 0; to-- {
			query := query{r.progress, g.masks[to].requires}
			if withoutSteps[to] == nil || r.best[to] != nil || checked[query] {
				continue
			}
			checked[query] = true
			if finding := r.blockedFinding(to); !reported[finding.Subject] {
				reported[finding.Subject] = true
				findings = append(findings, finding)
			}
		}
	}
	return findings
}

// blockedFinding returns the finding about the steps that block every path to a bundle. The bundle must be reachable without these steps.
func (r *Reachability) blockedFinding(to int) Finding {
	closing := r.blockingSteps(to)
	names := namesOf(closing)
	move := fmt.Sprintf("%s to %s", r.installed.Version, r.graph.bundles[to].Version)
	if len(closing) == 1 {
		return Finding{Kind: ClosingStep, Subject: names[0], Problem: fmt.Sprintf("leaves no way from %s: %s", move, r.unmetReason(closing[0], to)), Remedy: "publish a version to pass through, and an edge to it and on from it"}
	}
	return Finding{Kind: ContradictorySteps, Subject: strings.Join(names, " and "), Problem: fmt.Sprintf("leave no way together from %s, though each alone would", move), Remedy: "let the ranges agree"}
}

func quoteAll(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, fmt.Sprintf("%.80q", name))
	}
	return joinLimited(all)
}
