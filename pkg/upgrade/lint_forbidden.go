package upgrade

import (
	"fmt"
	"slices"
)

// ForbiddenUpgradesOf returns a finding for each step that forbids direct upgrades which the package's semantics permit. The finding says
// how many there are, how many of them remain possible through other versions, and how many do not. It is not a problem if the author
// intends this. Lint does not include these findings.
func ForbiddenUpgradesOf(pkg Package) (findings []Finding) {
	pkg.SelfCertified, pkg.Override = false, ""
	g := New(pkg)
	if len(g.steps) == 0 || len(g.pkg.Unreadable) > 0 {
		return nil
	}
	counts := make([]forbiddenUpgrades, len(g.steps))
	g.successors().each(func(from int, ranks []int32) {
		if (progress{}).after(g.masks[from]).outstanding() == 0 {
			return
		}
		r := g.From(g.bundles[from], nil)
		slices.Sort(ranks)
		for _, rank := range slices.Backward(ranks) { // the newest version comes last, because the last example is kept
			r.countForbidden(g.order[rank], counts)
		}
	})
	for i, count := range counts {
		if count.all() > 0 {
			findings = append(findings, Finding{
				Kind: ForbiddenUpgrades, Subject: g.steps[i].name, Problem: count.describe(), Remedy: "no action is needed if that is intended",
			})
		}
	}
	return findings
}

// forbiddenUpgrades holds the numbers of direct upgrades that a step forbids: those that remain possible through other versions, and those
// that do not. Each number comes with an example.
type forbiddenUpgrades struct {
	detours, closed              int
	detourExample, closedExample string
}

// countForbidden counts the direct upgrade from the installed bundle to a different one, once for each step that forbids it.
func (r *Reachability) countForbidden(to int, counts []forbiddenUpgrades) {
	g := r.graph
	for i := range g.steps {
		bit := uint64(1) << i
		if r.progress.outstanding()&g.masks[to].requires&bit == 0 {
			continue
		}
		count, move := &counts[i], fmt.Sprintf("from %s to %s", r.installed.Version, g.bundles[to].Version)
		if r.best[to] == nil {
			count.closed++
			count.closedExample = move
			continue
		}
		count.detours++
		count.detourExample = fmt.Sprintf("%s through %s", move, g.bundles[r.best[to].path()[0].at].Version)
	}
}

func (f forbiddenUpgrades) all() int { return f.detours + f.closed }

// describe returns a clause about the step.
func (f forbiddenUpgrades) describe() string {
	text := fmt.Sprintf("forbids %d direct upgrades", f.all())
	if f.all() == 1 {
		text = "forbids 1 direct upgrade"
	}
	if f.detours > 0 {
		text += fmt.Sprintf("; %d possible by another path, such as %s", f.detours, f.detourExample)
	}
	if f.closed > 0 {
		text += fmt.Sprintf("; %d no longer possible, such as %s", f.closed, f.closedExample)
	}
	return text
}
