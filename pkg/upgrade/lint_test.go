package upgrade

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

func TestLint(t *testing.T) {
	for name, test := range map[string]struct {
		lines string
		steps []string
		// semantics are those of the rules; empty means Semver. Without steps, the package has no rules.
		semantics Semantics
		// kinds are the kinds of findings to compare; empty means all.
		kinds []FindingKind
		// want has the findings, without those under other semantics.
		want []string
	}{
		"a package in order": {lines: "1.0.0\n1.1.0\n1.2.0\nstable: 1.0.0\nstable: 1.1.0 replaces 1.0.0\nstable: 1.2.0 replaces 1.1.0"},
		"a package of one":   {lines: "0.0.1\nstable: 0.0.1"},
		"a version that nothing follows": {
			lines: "1.0.0\n1.0.1\n1.1.0\nstable: 1.0.0\nstable: 1.0.1 replaces 1.0.0\nstable: 1.1.0 replaces 1.0.0 skips 1.0.2\nstable: 1.0.2",
			want: []string{
				"StrandedVersion: under channel semantics 1.0.1 has no successor, and the head is 1.1.0; publish a replaces, skips or skipRange that leads on from it",
				`SeveralHeads: channel "stable" has 2 heads: "p.v1.0.1"; "p.v1.1.0"; let one of them replace or skip the others`,
				`EntryWithoutBundle: entry "p.v1.0.2" in channel "stable" names a bundle that the package does not have; add the bundle, or remove the entry`,
			},
		},
		"a version whose ways end before the head": {
			lines: "0.1.0\n0.1.1\n0.2.0\nstable: 0.1.0\nstable: 0.1.1 replaces 0.1.0\nstable: 0.2.0 replaces 0.1.1",
			want: []string{
				"CutOffVersion: under semver semantics 0.1.0 has successors, and none of them leads to the head 0.2.0; advise admins against spec.upgrades.edges: Semver, and let a replaces, skips or skipRange lead on from it to the head, or from the end of its paths",
				"StrandedVersion: under semver semantics 0.1.1 has no successor, and the head is 0.2.0; advise admins against spec.upgrades.edges: Semver, and let a replaces, skips or skipRange lead on from it",
				"UnreachableHead: under semver semantics 0.2.0 is the head, and no version leads to it; advise admins against spec.upgrades.edges: Semver, so that the channel edges to it count",
			},
		},
		"a head that only a channel edge leads to, although its rules select semver": {
			lines: "1.0.0\n1.4.0\n2.0.0\nstable: 1.0.0\nstable: 1.4.0 replaces 1.0.0\nstable: 2.0.0 replaces 1.4.0", steps: []string{"<1.4.0 → 1.4.x → >=2.0.0"},
			kinds: []FindingKind{StrandedVersion, UnreachableHead},
			want: []string{
				`StrandedVersion: under semver semantics 1.4.0 has no successor, and the head is 2.0.0; write "semantics: both" in the rules, and let a replaces, skips or skipRange lead on from it`,
				`UnreachableHead: under semver semantics 2.0.0 is the head, and no version leads to it; write "semantics: both" in the rules, so that the channel edges to it count`,
			},
		},
		"a head that no edge leads to": {
			lines: "1.0.0\n2.0.0\nstable: 1.0.0\nfast: 2.0.0", steps: []string{"<1.0.0 → 1.0.x → >=2.0.0"}, kinds: []FindingKind{UnreachableHead},
			want: []string{
				"UnreachableHead: under channel semantics 2.0.0 is the head, and no version leads to it; let its entry replace or skip a lower version of the package",
				`UnreachableHead: under semver semantics 2.0.0 is the head, and no version leads to it; write "semantics: both" in the rules, and let its entry replace or skip a lower version of the package`,
				"UnreachableHead: under both semantics 2.0.0 is the head, and no version leads to it; let its entry replace or skip a lower version of the package",
			},
		},
		"entries that go round": {
			lines: "1.0.0\n1.1.0\n1.2.0\nstable: 1.0.0 replaces 1.2.0\nstable: 1.1.0 replaces 1.0.0\nstable: 1.2.0 replaces 1.1.0",
			want: []string{
				`ReplacesCycle: channel "stable" has entries that replace one another in a circle: "p.v1.0.0"; "p.v1.2.0"; "p.v1.1.0"; remove one of these replaces`,
				`DowngradeEntry: entry "p.v1.0.0" in channel "stable" has a replaces that leads down to 1.0.0 from 1 higher versions, such as 1.2.0; it downgrades no operator; let it name lower versions only`,
			},
		},
		"skipRanges that go down, and that cannot be read": {
			lines: "1.0.0\n1.1.0\n1.2.0\na: 1.2.0 replaces 1.1.0\na: 1.1.0 replaces 1.0.0\na: 1.0.0 skipRange <2.0.0\nb: 1.2.0 skipRange below 2\nb: 1.1.0",
			want: []string{
				`SeveralHeads: channel "b" has 2 heads: "p.v1.1.0"; "p.v1.2.0"; let one of them replace or skip the others`,
				`UnreadableSkipRange: entry "p.v1.2.0" in channel "b" has the skipRange "below 2", which is not a version range and permits no upgrade; write it like ">=1.0.0 <1.3.0"`,
				`DowngradeEntry: entry "p.v1.0.0" in channel "a" has a skipRange that leads down to 1.0.0 from 2 higher versions, such as 1.2.0; it downgrades no operator; let it name lower versions only`,
			},
		},
		"steps that do what they are for": {
			lines: minors, steps: []string{"<1.3.0 → 1.3.x → >=1.4.0 latest", "<1.2.0 → 1.2.x → >=1.3.0"},
		},
		"steps that miss what they are for": {
			lines: minors + "1.5.0 deprecated\n1.6.0",
			steps: []string{"<1.0.0 → 1.0.x → >=1.1.0", "<1.3.0 → 1.3.7 → >=1.6.0", "1.4.x → 1.5.x → >=1.6.0 latest"},
			want: []string{
				`IdleStep: steps[0] of the rules concerns no move: no version in "<1.0.0" that is not past it has a higher one in ">=1.1.0"; correct its ranges, or remove the step`,
				`EmptyStep: steps[1] of the rules leads through "1.3.7", which has no version: an operator that needs it never reaches ">=1.6.0"; publish a version there, or correct the range`,
				`StepWithoutLatest: steps[2] of the rules selects the latest version in "1.5.x", where every version is deprecated, a pre-release, or not permitted on this cluster; publish a release there, or let it select "any"`,
			},
		},
		"a step that leads through what nobody gets to": {
			lines: "1.2.0\n1.3.0-rc.1\n1.4.0", steps: []string{"<1.3.0-0 → 1.3.0-rc.1 → >=1.4.0"},
			want: []string{`ClosingStep: steps[0] of the rules leaves no way from 1.2.0 to 1.4.0: 1.3.0-rc.1 cannot be passed through on the way: no edge leads to it from 1.2.0; publish a version to pass through, and an edge to it and on from it`},
		},
		"a step that begins too high, and one that ends too early": {
			lines: minors + "1.5.0", steps: []string{">=1.2.0 <1.3.0 → 1.3.x → >=1.4.0", "<1.3.0 → 1.3.x → 1.4.x"},
			want: []string{
				`BypassedStep: steps[0] of the rules does not hold for lower versions: 1.1.0 may go to 1.5.0 without having been in "1.3.x", because it is not in ">=1.2.0 <1.3.0"; let from take in what is lower, too, such as "<1.3.0", unless that is meant`,
				`OvershotStep: steps[1] of the rules ends too early: 1.1.0 may go to 1.5.0 without having been in "1.3.x", because that is not in "1.4.x"; let to go on to what is higher, too, such as ">=1.4.0", unless that is meant`,
			},
		},
		"the same, where another step is in the way of that": {
			lines: minors + "1.5.0", steps: []string{"<1.3.0 → 1.3.x → >=1.4.0", ">=1.2.0 <1.3.0 → 1.3.x → >=1.4.0", "<1.3.0 → 1.3.x → 1.4.x"},
		},
		"the same, where there is no version to begin at or to end at": {
			lines: "1.2.0\n1.3.0\n1.4.0", steps: []string{">=1.2.0 <1.3.0 → 1.3.x → >=1.4.0", "<1.3.0 → 1.3.x → 1.4.x"},
		},
		"the same, where no edge leads that way": {
			lines: "0.9.0\n1.2.0\n1.3.0\n1.4.0\n2.0.0", steps: []string{">=1.2.0 <1.3.0 → 1.3.x → 1.4.x"},
		},
		"the same by way of what does not owe it": {
			lines: "1.1.0\n1.2.0\n1.2.5\n1.3.0\n1.4.0\nstable: 1.2.5 replaces 1.1.0\nstable: 1.4.0 replaces 1.2.5 skips 1.2.0\nstable: 1.3.0 replaces 1.2.0", semantics: Channel,
			steps: []string{"1.2.0 → 1.3.x → >=1.4.0"},
			kinds: []FindingKind{BypassedStep},
			want: []string{
				`BypassedStep: steps[0] of the rules does not hold for lower versions: 1.2.5 may go to 1.4.0 without having been in "1.3.x", because it is not in "1.2.0"; let from take in what is lower, too, such as "<1.3.0", unless that is meant`,
			},
		},
		"steps that contradict one another": {
			lines: minors, steps: []string{"<1.3.0 → 1.3.x → >=1.4.0", "<1.0.0 → 1.0.x → 1.1.x", "<1.3.0 → 1.4.x → 1.3.x"},
			want: []string{
				`IdleStep: steps[1] of the rules concerns no move: no version in "<1.0.0" that is not past it has a higher one in "1.1.x"; correct its ranges, or remove the step`,
				"ContradictorySteps: steps[0] of the rules and steps[2] of the rules leave no way together from 1.1.0 to 1.4.1, though each alone would; let the ranges agree",
				"ClosingStep: steps[2] of the rules leaves no way from 1.1.0 to 1.3.5: 1.4.1 cannot be passed through on the way: it is not lower than 1.3.5; publish a version to pass through, and an edge to it and on from it",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			pkg := parsePackage(t, test.lines)
			if len(test.steps) > 0 {
				pkg = steps(t, pkg, cmp.Or(test.semantics, Semver), test.steps...)
			}
			var got []string
			for _, finding := range Lint(pkg) {
				if len(test.kinds) > 0 && !slices.Contains(test.kinds, finding.Kind) {
					continue
				}
				if len(pkg.Entries) > 0 || finding.Semantics == "" { // a package without entries does not use channel semantics
					got = append(got, finding.String())
				}
			}
			if diff := gocmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}

	t.Run("rules that do not say semantics, where channels do", func(t *testing.T) {
		for lines, want := range map[string][]string{
			"1.2.0\n1.3.0\n2.0.0\nstable: 1.2.0\nstable: 1.3.0 replaces 1.2.0\nstable: 2.0.0 replaces 1.3.0": {
				`SemanticsNotSet: the rules set no semantics, so semver applies, although the package declares channel edges: of 2 edges, 1 are not semver edges; ` +
					`write "semantics: channel" to keep them, "both" to add to them, or "semver" if that is what is meant`,
			},
			"1.2.0\n1.3.0\nstable: 1.2.0\nstable: 1.3.0": nil,
		} {
			for _, said := range []string{`{"steps": []}`, `{"semantics": "semver"}`} {
				rules, err := ReadRules("p", Schema, []byte(said))
				if err != nil {
					t.Fatal(err)
				}
				pkg := parsePackage(t, lines)
				rules.Location = "the rules"
				pkg.Rules = []Rules{rules}
				var got []string
				for _, finding := range Lint(pkg) {
					if finding.Kind == SemanticsNotSet {
						got = append(got, finding.String())
					}
				}
				if !rules.SemanticsUnset {
					want = nil
				}
				if diff := gocmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", said, diff)
				}
			}
		}
	})

	t.Run("rules that cannot be read", func(t *testing.T) {
		findings := Lint(Package{Unreadable: []string{"the blob: steps[0].to is missing"}})
		if len(findings) != 1 || findings[0].Kind != RulesUnreadable || !strings.Contains(findings[0].Problem, "steps[0].to is missing") {
			t.Errorf("got %v", findings)
		}
	})
}

func TestLintOfTheRealCatalogs(t *testing.T) {
	counts := map[FindingKind]int{}
	catalogs := realPackages(t)
	for _, packages := range catalogs {
		for _, pkg := range packages {
			for _, finding := range Lint(pkg) {
				counts[finding.Kind]++
				if line := finding.String(); len(line) > 2048 || strings.Contains(line, "\n") {
					t.Errorf("%q: %d bytes: %q", pkg.Name, len(line), line)
				}
			}
		}
	}
	// The catalogs' own tools check everything except upgrade edges.
	want := map[FindingKind]int{DowngradeEntry: 8, UnreachableHead: 10}
	_, totals := summary(catalogs)
	for _, total := range totals {
		for i := range allSemantics {
			want[StrandedVersion] += total.stranded[i]
			want[CutOffVersion] += total.cutOff[i]
		}
	}
	if diff := gocmp.Diff(want, counts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSimulate(t *testing.T) {
	pkg := steps(t, parsePackage(t, "1.2.0\n1.3.0\n1.4.0\n2.0.0\n2.1.0-rc.1\nstable: 1.3.0 replaces 1.2.0\nstable: 2.0.0 replaces 1.3.0\nfast: 2.1.0-rc.1 replaces 2.0.0"),
		Channel, "<1.3.0 → 1.3.x → >=1.4.0")
	var got []string
	simulation := Simulate(pkg)
	for _, course := range simulation.Results {
		for at, move := range course.Outcomes {
			line := string(course.Semantics) + ": " + simulation.Bundles[at].Version.String()
			for _, through := range move.Path {
				line += " → " + simulation.Bundles[through].Version.String()
			}
			if move.Stranded {
				line += ", stranded"
			}
			if move.CutOff {
				line += ", cut off"
			}
			if move.Refusal.Reason != "" {
				line += ", " + string(move.Refusal.Reason)
			}
			got = append(got, line)
		}
	}
	want := []string{
		"channel: 1.2.0 → 1.3.0 → 2.0.0",
		"channel: 1.3.0 → 2.0.0",
		"channel: 1.4.0, stranded, NoEdge",
		"channel: 2.0.0 → 2.1.0-rc.1",
		"channel: 2.1.0-rc.1, stranded",
		"semver: 1.2.0 → 1.3.0 → 1.4.0, cut off, NoEdge",
		"semver: 1.3.0 → 1.4.0, cut off, NoEdge",
		"semver: 1.4.0, stranded, NoEdge",
		"semver: 2.0.0",
		"semver: 2.1.0-rc.1, stranded",
		"both: 1.2.0 → 1.3.0 → 2.0.0",
		"both: 1.3.0 → 2.0.0",
		"both: 1.4.0, stranded, NoEdge",
		"both: 2.0.0 → 2.1.0-rc.1",
		"both: 2.1.0-rc.1, stranded",
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if simulation.Bundles[simulation.Head].Version.String() != "2.0.0" {
		t.Errorf("the head is %s", simulation.Bundles[simulation.Head].Version)
	}

	t.Run("a package without bundles has no head and nowhere to go", func(t *testing.T) {
		empty := Simulate(Package{Name: "p"})
		if empty.Head != -1 || slices.ContainsFunc(empty.Results, func(c SemanticsResult) bool { return len(c.Outcomes) > 0 }) || len(Lint(Package{Name: "p"})) > 0 {
			t.Errorf("got %+v, %v", empty, Lint(Package{Name: "p"}))
		}
	})
}
