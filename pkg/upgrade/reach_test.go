package upgrade

import (
	"strings"
	"testing"

	"github.com/openshift/platform-operators/pkg/catalog"
)

const minors = `
1.1.0
1.2.0
1.2.3
1.3.0
1.3.5
1.4.0
1.4.1
`

// Promise UPG-V5: A rule of the author that requires a version on the way puts its newest version into the path: 1.2 goes to 1.4 through
// 1.3. Operators that are there, or that the rule does not concern, go straight.
func TestUPG_V5_AStepToPassThrough(t *testing.T) {
	pkg := steps(t, parsePackage(t, minors), Semver, ">=1.2.0 <1.3.0 → 1.3.x → >=1.4.0 # 1.3 migrates stored objects")
	for name, test := range map[string]struct {
		from  string
		ready []string
		to    string
		want  string
	}{
		"the newest of the range is passed through":                    {from: "1.2.0", to: "1.4.1", want: "1.3.5 1.4.1"},
		"who is there goes on":                                         {from: "1.3.0", to: "1.4.1", want: "1.4.1"},
		"who is not at from goes straight":                             {from: "1.1.0", to: "1.4.1", want: "1.4.1"},
		"who does not go to to goes straight":                          {from: "1.2.0", to: "1.3.5", want: "1.3.5"},
		"who went down from there passes it again":                     {from: "1.2.3", ready: []string{"1.2.0", "1.3.0"}, to: "1.4.1", want: "1.3.5 1.4.1"},
		"to have been ready elsewhere does not do":                     {from: "1.2.3", ready: []string{"1.1.0", "1.2.0"}, to: "1.4.1", want: "1.3.5 1.4.1"},
		"what is installed need not be in a catalog":                   {from: "1.2.9", to: "1.4.1", want: "1.3.5 1.4.1"},
		"down is no way":                                               {from: "1.4.0", to: "1.3.5", want: "Downgrade"},
		"a pre-release of the version that is guarded is, too":         {from: "1.2.4-rc.1", to: "1.4.1", want: "1.3.5 1.4.1"},
		"to be at a pre-release of what is passed through does not do": {from: "1.3.0-rc.1", to: "1.4.1", want: "1.3.5 1.4.1"},
	} {
		t.Run(name, func(t *testing.T) {
			r := New(pkg).From(installedAt(t, test.from), versions(t, test.ready...))
			if got := way(t, r, test.to); got != test.want {
				t.Errorf("%s → %s goes by %s, want %s", test.from, test.to, got, test.want)
			}
		})
	}
}

func TestStepsUseTheOperatorsHistory(t *testing.T) {
	pkg := steps(t, parsePackage(t, minors), Semver, "<1.3.0 → 1.3.5 → >=1.4.0")
	for name, test := range map[string]struct {
		from  string
		ready []string
		to    string
		want  string
	}{
		"started above: step does not apply":                       {from: "1.3.0", to: "1.4.1", want: "1.4.1"},
		"started below, now between: step still applies":           {from: "1.3.0", ready: []string{"1.2.0"}, to: "1.4.1", want: "1.3.5 1.4.1"},
		"was ready in through: satisfied":                          {from: "1.3.9", ready: []string{"1.2.0", "1.3.5"}, to: "1.4.1", want: "1.4.1"},
		"who has not, and is past what could be, has no way":       {from: "1.3.9", ready: []string{"1.2.0"}, to: "1.4.1", want: "Step"},
		"already in to: satisfied":                                 {from: "1.4.0", ready: []string{"1.2.0"}, to: "1.4.1", want: "1.4.1"},
		"downgrade resets the steps to those of the lower version": {from: "1.3.0", ready: []string{"1.2.0", "1.4.0"}, to: "1.4.1", want: "1.4.1"},
		"downgrade to from: step applies again":                    {from: "1.2.0", ready: []string{"1.2.0", "1.3.5", "1.4.0"}, to: "1.4.1", want: "1.3.5 1.4.1"},
	} {
		t.Run(name, func(t *testing.T) {
			r := New(pkg).From(installedAt(t, test.from), versions(t, test.ready...))
			if got := way(t, r, test.to); got != test.want {
				t.Errorf("%s → %s goes by %s, want %s", test.from, test.to, got, test.want)
			}
		})
	}
	t.Run("an open end at the beginning does not catch those who are past it", func(t *testing.T) {
		pkg := steps(t, parsePackage(t, minors), Semver, ">=1.2.0 → 1.3.x → >=1.4.0")
		if got := way(t, New(pkg).From(installedAt(t, "1.4.0"), nil), "1.4.1"); got != "1.4.1" {
			t.Errorf("goes by %s", got)
		}
	})
}

func TestStepThatSelectsTheLatest(t *testing.T) {
	const lines = "1.2.7\n1.2.8\n1.2.9\n1.3.0"
	step := "1.2.x → 1.2.x → >=1.3.0 latest"
	for name, test := range map[string]struct {
		lines, from string
		ready       []string
		want        string
	}{
		"it is passed through":                                     {lines: lines, from: "1.2.7", want: "1.2.9 1.3.0"},
		"who is at it goes on":                                     {lines: lines, from: "1.2.9", want: "1.3.0"},
		"who was at what was the latest then passes it again":      {lines: lines, from: "1.2.8", ready: []string{"1.2.7", "1.2.8"}, want: "1.2.9 1.3.0"},
		"who is at a later one that is no longer there goes on":    {lines: lines, from: "1.2.10", want: "1.3.0"},
		"pre-releases are not the latest":                          {lines: lines + "\n1.2.10-rc.1", from: "1.2.9", want: "1.3.0"},
		"deprecated ones are not":                                  {lines: lines + "\n1.2.10 deprecated", from: "1.2.9", want: "1.3.0"},
		"those that the cluster must not run are not":              {lines: lines + "\n1.2.10 unfit needs more", from: "1.2.9", want: "1.3.0"},
		"where there is none nobody passes, not even who is there": {lines: "1.2.9 deprecated\n1.3.0", from: "1.2.9", want: "Step"},
	} {
		t.Run(name, func(t *testing.T) {
			r := New(steps(t, parsePackage(t, test.lines), Semver, step)).From(installedAt(t, test.from), versions(t, test.ready...))
			if got := way(t, r, "1.3.0"); got != test.want {
				t.Errorf("%s → 1.3.0 goes by %s, want %s", test.from, got, test.want)
			}
		})
	}
}

// Promise UPG-V7: All rules for an upgrade hold together, also those of two catalogs. When rules contradict one another, no path exists,
// and the refusal names the conflicting rules and no others.
func TestUPG_V7_StepsCompose(t *testing.T) {
	for name, test := range map[string]struct {
		lines    string
		steps    []string
		from, to string
		want     string
	}{
		"one after the other": {minors, []string{"<1.3.0 → 1.2.x → >=1.3.0", "<1.4.0 → 1.3.x → >=1.4.0"}, "1.1.0", "1.4.1", "1.2.3 1.3.5 1.4.1"},
		"overlapping ranges are passed through at once where that will do": {minors, []string{"<1.3.0 → 1.3.x → >=1.4.0", "<1.4.0 → >=1.3.3 <1.4.0 → >=1.4.0"}, "1.1.0", "1.4.1", "1.3.5 1.4.1"},
		"a way round through an older version, because it opens the step":  {minors, []string{"<1.4.0 → 1.2.0 → 1.3.x", "<1.4.0 → 1.3.0 → >=1.4.0"}, "1.1.0", "1.4.1", "1.2.0 1.3.0 1.4.1"},
		"contradictory ones leave no way":                                  {minors, []string{"<1.3.0 → 1.3.x → >=1.4.0", "<1.3.0 → 1.4.x → 1.3.x"}, "1.2.0", "1.4.1", "Step"},
		"and none but those that are concerned":                            {minors, []string{"<1.3.0 → 1.3.x → >=1.4.0", "<1.3.0 → 1.4.x → 1.3.x"}, "1.3.0", "1.4.1", "1.4.1"},
	} {
		t.Run(name, func(t *testing.T) {
			r := New(steps(t, parsePackage(t, test.lines), Semver, test.steps...)).From(installedAt(t, test.from), nil)
			if got := way(t, r, test.to); got != test.want {
				t.Errorf("%s → %s goes by %s, want %s: %s", test.from, test.to, got, test.want, why(t, r, test.to))
			}
		})
	}

	t.Run("a contradiction is explained by the rules that clash, and by no others", func(t *testing.T) {
		r := New(steps(t, parsePackage(t, minors), Semver,
			"<1.0.0 → 1.0.x → >=1.1.0", // applies to no version
			"<1.3.0 → 1.3.x → >=1.4.0 # stored objects",
			"<1.3.0 → 1.2.3 → >=1.4.0", // is satisfied, and blocks nothing
			"<1.3.0 → 1.4.x → 1.3.x",
		)).From(installedAt(t, "1.2.0"), nil)
		contains(t, why(t, r, "1.4.1"), "steps[1] of the rules", `"<1.3.0"`, `"1.3.x"`, `">=1.4.0"`, `"stored objects"`, "steps[3] of the rules", "together they leave no way", "SelfCertified")
		for _, other := range []string{"steps[0]", "steps[2]"} {
			if strings.Contains(why(t, r, "1.4.1"), other) {
				t.Errorf("%s is blamed, too: %s", other, why(t, r, "1.4.1"))
			}
		}
	})

	t.Run("where the semantics of two catalogs differ, those that have nothing against a move are not blamed", func(t *testing.T) {
		for name, test := range map[string]struct {
			to, want, not string
		}{
			"no channel edge":           {"1.4.0", "no replaces, skips or skipRange", "semantic versioning"},
			"no promise":                {"2.0.0", "from major version 1 to 2", "skipRange"},
			"neither":                   {"3.0.0", "from major version 1 to 3", "differ"},
			"each leads there by a way": {"1.3.1", "differ in semantics, and no upgrade path is valid under all of them", "skipRange"},
		} {
			t.Run(name, func(t *testing.T) {
				pkg := parsePackage(t, "1.2.0\n1.3.0-rc.1\n1.3.1\n1.4.0\n2.0.0\n3.0.0\na: 1.3.0-rc.1 replaces 1.2.0\na: 1.3.1 replaces 1.3.0-rc.1\na: 2.0.0 replaces 1.2.0")
				r := New(steps(t, steps(t, pkg, Channel), Semver)).From(installedAt(t, "1.2.0"), nil)
				if got := way(t, r, test.to); got != "NoEdge" {
					t.Fatalf("goes by %s", got)
				}
				contains(t, why(t, r, test.to), test.want)
				if strings.Contains(why(t, r, test.to), test.not) {
					t.Errorf("%q says %q", why(t, r, test.to), test.not)
				}
			})
		}
	})

	t.Run("rules of two catalogs hold both", func(t *testing.T) {
		pkg := steps(t, parsePackage(t, minors), Semver, "<1.3.0 → 1.2.x → >=1.3.0")
		pkg = steps(t, pkg, Both, "<1.4.0 → 1.3.x → >=1.4.0")
		if got := way(t, New(pkg).From(installedAt(t, "1.1.0"), nil), "1.4.1"); got != "1.2.3 1.3.5 1.4.1" {
			t.Errorf("got %s", got)
		}
	})
}

func TestMessageForAnUnmetStep(t *testing.T) {
	const step = "<1.3.0 → 1.3.x → >=1.4.0 # stored objects"
	for name, test := range map[string]struct {
		lines string
		steps []string
		want  []string
	}{
		"nothing in its range":                 {"1.2.0\n1.4.0", []string{step}, []string{"steps[0] of the rules", `"1.3.x"`, "the selected catalogs have none there"}},
		"nothing there that the cluster runs":  {"1.2.0\n1.3.0 unfit allows OpenShift up to 4.19\n1.4.0", []string{step}, []string{"steps[0] of the rules", "the newest there, 1.3.0, allows OpenShift up to 4.19"}},
		"nothing there that could be the last": {"1.2.0\n1.3.0 deprecated\n1.4.0", []string{step[:strings.Index(step, " #")] + " latest"}, []string{"the latest version", "all versions there are deprecated or pre-releases"}},
	} {
		t.Run(name, func(t *testing.T) {
			pkg := steps(t, parsePackage(t, test.lines), Semver, test.steps...)
			r := New(pkg).From(installedAt(t, "1.2.0"), nil)
			if got := way(t, r, "1.4.0"); got != "Step" {
				t.Fatalf("goes by %s", got)
			}
			contains(t, why(t, r, "1.4.0"), append(test.want, "set spec.upgrades.edges to SelfCertified")...)

			pkg.SelfCertified = true
			r = New(pkg).From(installedAt(t, "1.2.0"), nil)
			if got := way(t, r, "1.4.0"); got != "1.4.0" {
				t.Errorf("self-certified it goes by %s", got)
			}
			path, _ := r.Path(index(t, r.graph, "1.4.0"))
			if len(path) != 1 || path[0].Sources[0].Kind != FromSelfCertified {
				t.Errorf("it is not told that the move is self-certified: %v", path)
			}
		})
	}
}

func TestMessageForABlockedStep(t *testing.T) {
	const step = "<1.3.0 → 1.3.x → >=1.4.0"
	for name, test := range map[string]struct {
		lines     string
		chained   bool // each version replaces the previous one
		semantics Semantics
		steps     []string
		from      string
		ready     []string
		to        string
		reason    Reason
		want      []string
	}{
		"nothing but what was cut out": {
			lines: "1.2.0\n1.3.0 outside of the range, so widen it\n1.4.0", steps: []string{step}, from: "1.2.0", to: "1.4.0", reason: OutOfRange,
			want: []string{"the way leads through 1.3.0, which is outside of the range, so widen it; or set spec.upgrades.edges to SelfCertified", "there would be another way, but ", "steps[0] of the rules", `"1.3.x"`},
		},
		"the latest was cut out": {
			lines: "1.2.0\n1.3.0\n1.3.5 outside of the range, so widen it\n1.4.0", steps: []string{step + " latest"}, from: "1.2.0", to: "1.4.0", reason: OutOfRange,
			want: []string{"leads through 1.3.5, which is outside of the range, so widen it"},
		},
		"all that were cut out are named": {
			lines: "1.2.0\n1.3.0 outside of the range\n1.3.1 outside of the range\n1.4.0", chained: true, semantics: Channel, from: "1.2.0", to: "1.4.0", reason: OutOfRange,
			want: []string{"the way leads through 1.3.0 and 1.3.1, each of which is outside of the range; or"},
		},
		"what was cut out, and besides what the cluster must not run": {
			lines: "1.2.0\n1.3.0 outside of the range\n1.3.1 unfit needs more\n1.4.0", chained: true, semantics: Channel, from: "1.2.0", to: "1.4.0", reason: Unfit,
			want: []string{"1.3.0, which is outside of the range; 1.3.1, which needs more; set spec.upgrades.edges to SelfCertified"},
		},
		"one may go to what was cut out, and not on from there": {
			lines: "1.2.0\n1.3.0 unfit needs more\n1.3.1 outside of the range\n1.4.0", chained: true, semantics: Channel, from: "1.2.0", to: "1.3.1", reason: Unfit,
			want: []string{"the way leads through 1.3.0, which needs more; set spec.upgrades.edges to SelfCertified"},
		},
		"where there is what would do, and only the cluster is against the way to it": {
			lines: "1.2.0\n1.2.1 unfit needs more\n1.3.0\n1.4.0\nb: 1.4.0 skips 1.2.0", chained: true, semantics: Channel, steps: []string{step}, from: "1.2.0", to: "1.4.0", reason: BlockedBySteps,
			want: []string{"and the way leads through 1.2.1, which needs more; set"},
		},
		"where there is what would do, and what is installed is past it": {
			lines: minors, steps: []string{"<1.3.0 → 1.3.0 → >=1.4.0"}, from: "1.3.5", ready: []string{"1.2.0"}, to: "1.4.0", reason: BlockedBySteps,
			want: []string{"1.3.0 cannot be passed through on the way: it is not higher than the installed 1.3.5; set"},
		},
		"where there is what would do, and it is past the end": {
			lines: minors, steps: []string{"<1.3.0 → 1.4.x → 1.3.x"}, from: "1.2.0", to: "1.3.5", reason: BlockedBySteps,
			want: []string{"1.4.1 cannot be passed through on the way: it is not lower than 1.3.5; set"},
		},
		"where there is what would do, and nothing leads to it": {
			lines: "1.2.0\n1.3.0\n1.4.0\na: 1.4.0 replaces 1.3.0 skips 1.2.0\nb: 1.3.0", semantics: Channel, steps: []string{step}, from: "1.2.0", to: "1.4.0", reason: BlockedBySteps,
			want: []string{"1.3.0 cannot be passed through on the way: no edge leads to it from 1.2.0; set"},
		},
		"where there is what would do, and nothing leads on from it": {
			lines: "1.2.0\n1.3.0\n1.4.0\na: 1.3.0 replaces 1.2.0\nb: 1.4.0 skips 1.2.0", semantics: Channel, steps: []string{step}, from: "1.2.0", to: "1.4.0", reason: BlockedBySteps,
			want: []string{"1.3.0 cannot be passed through on the way: no edge leads on from it to 1.4.0; set"},
		},
		"where there is what would do, and another step closes the way to it": {
			lines: minors, steps: []string{step, "<1.3.0 → 1.2.9 → 1.3.x"}, from: "1.2.0", to: "1.4.0", reason: BlockedBySteps,
			want: []string{"steps[0] of the rules", "1.3.5 cannot be passed through on the way: the way to it from 1.2.0 is closed by steps[1] of the rules", "together they leave no way"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if test.semantics == "" {
				test.semantics = Semver
			}
			pkg := parsePackage(t, test.lines)
			if test.chained {
				chain(&pkg)
			}
			r := New(steps(t, pkg, test.semantics, test.steps...)).From(installedAt(t, test.from), versions(t, test.ready...))
			if got := way(t, r, test.to); got != string(test.reason) {
				t.Errorf("got %s, want %s: %s", got, test.reason, why(t, r, test.to))
			}
			contains(t, why(t, r, test.to), test.want...)
		})
	}
}

// chain adds channel entries in which every bundle replaces the previous one, in the order of the bundles.
func chain(pkg *Package) {
	for i, bundle := range pkg.Bundles[1:] {
		pkg.Entries = append(pkg.Entries, Entry{Channel: "stable", Entry: catalog.Entry{Name: bundle.Name, Replaces: pkg.Bundles[i].Name}})
	}
}

func TestRefusals(t *testing.T) {
	for name, test := range map[string]struct {
		pkg      Package
		from, to string
		reason   Reason
		want     []string
	}{
		"no channel edge, and semver would do": {Package{Default: Channel}, "1.2.0", "1.4.0", NoEdge, []string{"cannot follow 1.2.0", `in channel "stable"`, "set spec.upgrades.edges to Semver"}},
		"a major version":                      {Package{Default: Semver}, "1.4.0", "2.0.0", NoEdge, []string{"from major version 1 to 2", "set spec.upgrades.edges to Channel, by which"}},
		"0.y":                                  {Package{Default: Semver}, "0.1.0", "0.2.0", NoEdge, []string{"from 0.1 to 0.2", "SelfCertified"}},
		"0.0.z":                                {Package{Default: Semver}, "0.0.1", "0.0.2", NoEdge, []string{"between 0.0.z versions"}},
		"a pre-release":                        {Package{Default: Semver}, "1.2.0", "1.5.0-rc.1", NoEdge, []string{"from a release to a pre-release"}},
		"both have something against it":       {Package{Default: Both}, "1.2.0", "3.0.0", NoEdge, []string{`in channel "stable"`, "from major version 1 to 3", "SelfCertified"}},
		"down":                                 {Package{Default: Semver}, "1.4.0", "1.2.0", Downgrade, []string{"not higher than the installed 1.4.0", "spec.package.version", "SelfCertified"}},
		"the cluster must not run it":          {Package{Default: Semver}, "1.2.0", "1.4.1", Unfit, []string{"needs Kubernetes 1.40"}},
		"the only way leads through what the cluster must not run": {Package{Default: Channel}, "1.4.0", "2.1.0", Unfit, []string{"cannot be reached from 1.4.0", "leads through 2.0.1, which needs Kubernetes 1.40"}},
		"rules that cannot be read": {Package{Default: Semver, Unreadable: []string{`the blob of CatalogSource/a/b: steps[0].to is missing`}}, "1.2.0", "1.4.0", RulesInvalid,
			[]string{"the blob of CatalogSource/a/b: steps[0].to is missing", "spec.package.catalogSelector"}},
	} {
		t.Run(name, func(t *testing.T) {
			made := parsePackage(t, "0.0.1\n0.0.2\n0.1.0\n0.2.0\n1.2.0\n1.4.0\n1.4.1 unfit needs Kubernetes 1.40\n1.5.0-rc.1\n2.0.0\n2.0.1 unfit needs Kubernetes 1.40\n2.1.0\n3.0.0\n"+
				"stable: 2.0.0 replaces 1.4.0\nstable: 2.0.1 replaces 1.4.0\nstable: 2.1.0 replaces 2.0.1")
			test.pkg.Bundles, test.pkg.Entries = made.Bundles, made.Entries
			r := New(test.pkg).From(installedAt(t, test.from), nil)
			if got := way(t, r, test.to); got != string(test.reason) {
				t.Fatalf("got %s, want %s", got, test.reason)
			}
			contains(t, why(t, r, test.to), test.want...)
		})
	}
}

func TestSelfCertifiedPermitsEveryHopExceptToUnfitBundles(t *testing.T) {
	pkg := parsePackage(t, minors+"2.0.0\n2.0.1 unfit needs more")
	pkg.SelfCertified, pkg.Unreadable = true, []string{"whatever"}
	r := New(pkg).From(installedAt(t, "1.3.0"), nil)
	for to, want := range map[string]string{"1.1.0": "1.1.0", "2.0.0": "2.0.0", "2.0.1": "Unfit"} {
		if got := way(t, r, to); got != want {
			t.Errorf("%s is reached by %s, want %s", to, got, want)
		}
	}
}

func TestPathAvoidsDeprecatedBundles(t *testing.T) {
	for name, test := range map[string]struct{ lines, want string }{
		"the newest that is not deprecated": {"1.2.0\n1.3.0\n1.3.5 deprecated\n1.4.0", "1.3.0 1.4.0"},
		"a deprecated one if need be":       {"1.2.0\n1.3.5 deprecated\n1.4.0", "1.3.5 1.4.0"},
	} {
		t.Run(name, func(t *testing.T) {
			r := New(steps(t, parsePackage(t, test.lines), Semver, "<1.3.0 → 1.3.x → >=1.4.0")).From(installedAt(t, "1.2.0"), nil)
			if got := way(t, r, "1.4.0"); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// contains checks that a sentence contains these parts, and is one line of at most 2,048 bytes.
func contains(t *testing.T, sentence string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(sentence, part) {
			t.Errorf("%q does not say %q", sentence, part)
		}
	}
	if len(sentence) > 2048 || strings.Contains(sentence, "\n") {
		t.Errorf("%d bytes: %q", len(sentence), sentence)
	}
}

func TestNoPathContinuesFromAvoidedBundles(t *testing.T) {
	pkg := parsePackage(t, "1.0.0\n1.1.0\n1.2.0\n1.3.0\nstable: 1.1.0 replaces 1.0.0\nstable: 1.2.0 replaces 1.1.0\nstable: 1.3.0 replaces 1.2.0 skips 1.0.0")
	pkg.Bundles[1].Avoid = "is outside of what was asked for"
	r := New(pkg).From(installedAt(t, "1.0.0"), nil)
	for to, want := range map[string]string{"1.1.0": "1.1.0", "1.2.0": "Range", "1.3.0": "1.3.0"} {
		if got := way(t, r, to); got != want {
			t.Errorf("%s is reached by %s, want %s", to, got, want)
		}
	}
	contains(t, why(t, r, "1.2.0"), "the way leads through 1.1.0, which is outside of what was asked for")
	if got := way(t, New(pkg).From(installedAt(t, "1.1.0"), nil), "1.2.0"); got != "1.2.0" {
		t.Errorf("from there, where it is installed, it is reached by %s", got)
	}
}
