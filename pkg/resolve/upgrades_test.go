package resolve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// guarded is a package with rules, as JSON; its entries have no edges.
func guarded(rules string, versions ...string) *catalog.Package {
	pkg := stable(versions...)
	for i := range pkg.Channels {
		for j := range pkg.Channels[i].Entries {
			pkg.Channels[i].Entries[j].SkipRange = ""
		}
	}
	if rules != "" {
		pkg.UpgradeRules = []catalog.UpgradeRules{{Schema: upgrade.Schema, Location: "blob " + upgrade.Schema, Raw: rules}}
	}
	return pkg
}

// chained is a package each of whose versions replaces the one before, and nothing else.
func chained(versions ...string) *catalog.Package {
	pkg := guarded("", versions...)
	for i := range pkg.Channels[0].Entries {
		if i > 0 {
			pkg.Channels[0].Entries[i].Replaces = pkg.Channels[0].Entries[i-1].Name
		}
	}
	return pkg
}

const through13 = `{"package":"quay","steps":[{"from":">=1.2.0 <1.3.0","to":">=1.4.0","through":"1.3.x","reason":"1.3 migrates stored objects"}]}`

// installed changes a request to one of an operator that is at a version.
func installed(version string, more ...func(*Request)) func(*Request) {
	return func(r *Request) {
		r.InstalledVersion, r.InstalledBundle = version, "quay.v"+version
		for _, change := range more {
			change(r)
		}
	}
}

func versionRange(text string) func(*Request)           { return func(r *Request) { r.VersionRange = text } }
func edges(edges platformv1alpha1.Edges) func(*Request) { return func(r *Request) { r.Edges = edges } }
func manual(approved string) func(*Request) {
	return func(r *Request) { r.Manual, r.Approved = true, approved }
}

// way is the path that was decided on, "stays" when there is none, and what is awaited.
func way(d Decision) string {
	var hops []string
	for _, hop := range d.Path {
		hops = append(hops, hop.Version.String())
	}
	text := strings.Join(hops, " ")
	if text == "" {
		text = "stays"
	}
	if d.Awaiting != nil {
		text += ", " + d.Awaiting.Version.String() + " awaits approval"
	}
	return text
}

func TestTheWayToAVersion(t *testing.T) {
	minors := []string{"1.2.0", "1.2.3", "1.3.0", "1.3.5", "1.4.0", "1.4.1"}
	for name, test := range map[string]struct {
		req  func(*Request)
		pkg  *catalog.Package
		want string
	}{
		"to the newest by way of what has to be passed through":      {installed("1.2.0"), guarded(through13, minors...), "1.3.5 1.4.1"},
		"a pin several hops away":                                    {installed("1.2.0", versionRange("1.4.0")), guarded(through13, minors...), "1.3.5 1.4.0"},
		"a version on the way need not be in the range":              {installed("1.2.0", versionRange(">=1.4.0")), guarded(through13, minors...), "1.3.5 1.4.1"},
		"but a version that was cut out of it is not passed through": {installed("1.2.0", versionRange(">=1.2.0, !=1.3.5")), guarded(through13, minors...), "1.3.0 1.4.1"},
		"nor on the way into the range":                              {installed("1.1.0", versionRange(">=1.2.0, <1.3.0 || >=1.4.0")), chained("1.1.0", "1.2.0", "1.3.0", "1.4.0"), "1.2.0"},
		"and where all are there is no way":                          {installed("1.2.0", versionRange("!=1.3.x")), guarded(through13, minors...), "1.2.3"},
		"what was ready before counts":                               {installed("1.2.3", func(r *Request) { r.Ready = []string{"1.2.0"} }), guarded(through13, minors...), "1.3.5 1.4.1"},
		"from a version that no catalog has":                         {installed("1.2.9"), guarded(through13, minors...), "1.3.5 1.4.1"},
		"at the newest":                                              {installed("1.4.1"), guarded(through13, minors...), "stays"},
		"at the newest of the range":                                 {installed("1.2.3", versionRange("1.2.x")), guarded(through13, minors...), "stays"},
		"the newest that can be reached":                             {installed("1.2.0"), guarded(`{"steps":[{"from":"1.2.x","to":">=1.4.0","through":"1.3.9"}]}`, minors...), "1.3.5"},
		"without rules a package has what its channels say":          {installed("1.2.0"), guarded("", minors...), "stays"},
		"or what the manager says":                                   {installed("1.2.0", func(r *Request) { r.DefaultEdges = upgrade.Semver }), guarded("", minors...), "1.4.1"},
		"or what the PlatformOperator says":                          {installed("1.2.0", edges(platformv1alpha1.EdgesSemver)), guarded("", minors...), "1.4.1"},
		"whose word on edges does not lift steps":                    {installed("1.2.0", edges(platformv1alpha1.EdgesSemver)), guarded(through13, minors...), "1.3.5 1.4.1"},
		"on one's own word straight":                                 {installed("1.2.0", edges(platformv1alpha1.EdgesSelfCertified)), guarded(through13, minors...), "1.4.1"},
		"what is deprecated is not moved to":                         {installed("1.2.0"), deprecating(guarded(through13, minors...), "1.4.1", "1.3.5"), "1.3.0 1.4.0"},
		"unless there is nothing else":                               {installed("1.2.0", versionRange(">=1.4.1")), deprecating(guarded(through13, minors...), "1.4.1", "1.3.5"), "1.3.0 1.4.1"},
		"nobody is moved from what is not to what is":                {installed("1.4.0"), deprecating(guarded(through13, minors...), "1.4.1"), "stays"},
		"from what is to what is, for it is newer":                   {installed("1.4.0"), deprecating(guarded(through13, minors...), "1.4.0", "1.4.1"), "1.4.1"},
		"with manual approval nothing moves":                         {installed("1.2.0", manual("")), guarded(through13, minors...), "stays, 1.4.1 awaits approval"},
		"but what is approved, by its way":                           {installed("1.2.0", manual("1.4.0")), guarded(through13, minors...), "1.3.5 1.4.0"},
		"what is approved and reached is left by a newer approval":   {installed("1.4.0", manual("1.4.0")), guarded(through13, minors...), "stays, 1.4.1 awaits approval"},
		"what is approved and cannot be had does not move":           {installed("1.2.0", manual("1.5.0")), guarded(through13, minors...), "stays, 1.4.1 awaits approval"},
		"the same where no catalog has what is installed":            {installed("1.2.9", manual("")), guarded(through13, minors...), "stays, 1.4.1 awaits approval"},
		"what is approved and deprecated is moved to all the same":   {installed("1.4.0", manual("1.4.1")), deprecating(guarded(through13, minors...), "1.4.1"), "1.4.1"},
		"nothing is awaited where there is nothing newer":            {installed("1.4.1", manual("")), guarded(through13, minors...), "stays"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Resolve(ask(test.req), one(test.pkg))
			if way := way(got); way != test.want {
				t.Errorf("goes by %q, want %q: %s", way, test.want, got.Message)
			}
			if got.Reason == "" && len(got.Path) > 0 && got.Chosen.Version.String() != strings.Fields(test.want)[0] {
				t.Errorf("%s is to run next, not the first hop", got.Chosen.Version)
			}
		})
	}
}

// deprecating marks bundles of these versions.
func deprecating(pkg *catalog.Package, versions ...string) *catalog.Package {
	for i := range pkg.Bundles {
		for _, version := range versions {
			if pkg.Bundles[i].Version == version {
				pkg.Bundles[i].Deprecated = "use another"
			}
		}
	}
	return pkg
}

// Promise UPG-V11: A range or pin below the installed version moves nothing, and the message says what to set. With `SelfCertified` an
// operator goes down when its range has only older versions.
func TestUPG_V11_NothingMovesDownSilently(t *testing.T) {
	versions := []string{"1.8.0", "1.9.0", "2.0.0"}
	for name, test := range map[string]struct {
		req  func(*Request)
		pkg  *catalog.Package
		want string
		says []string
	}{
		"a range below what is installed": {installed("1.9.0", versionRange("<1.9.0")), stable(versions...), "stays",
			[]string{"1.8.0 is older than the installed 1.9.0", "set spec.upgrades.edges to SelfCertified", "delete the PlatformOperator"}},
		"an older pin": {installed("1.9.0", versionRange("1.8.0")), stable(versions...), "stays",
			[]string{"1.8.0 is older than the installed 1.9.0", "set spec.upgrades.edges to SelfCertified"}},
		"one's own word without a range":                  {installed("2.1.0", edges(platformv1alpha1.EdgesSelfCertified)), stable(versions...), "stays", nil},
		"one's own word, deprecated and no range":         {installed("2.0.0", edges(platformv1alpha1.EdgesSelfCertified)), deprecating(stable(versions...), "2.0.0"), "stays", nil},
		"one's own word and a range that has both":        {installed("2.0.0", edges(platformv1alpha1.EdgesSelfCertified), versionRange(">=1.8.0")), stable(versions...), "stays", nil},
		"one's own word, and a range that has higher too": {installed("1.9.0", edges(platformv1alpha1.EdgesSelfCertified), versionRange("!=1.9.0")), stable(versions...), "2.0.0", nil},
		"one's own word and an older pin":                 {installed("1.9.0", edges(platformv1alpha1.EdgesSelfCertified), versionRange("1.8.0")), stable(versions...), "1.8.0", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := Resolve(ask(test.req), one(test.pkg))
			if way := way(got); way != test.want {
				t.Errorf("goes by %q, want %q: %s", way, test.want, got.Message)
			}
			for _, part := range test.says {
				if !strings.Contains(got.Message, part) {
					t.Errorf("%q does not say %q", got.Message, part)
				}
			}
			for _, hop := range got.Path {
				if hop.Sources[0].Kind != upgrade.FromSelfCertified {
					t.Errorf("it is not told that nothing but the user's word permits it: %v", hop.Sources)
				}
			}
		})
	}
}

func TestRulesOfCatalogs(t *testing.T) {
	minors := []string{"1.2.0", "1.3.5", "1.4.1"}
	property := guarded(through13, minors...)
	property.UpgradeRules[0].Location = `property of bundle "quay.v1.2.0"`
	twice := guarded(through13, minors...)
	twice.UpgradeRules = append(twice.UpgradeRules, catalog.UpgradeRules{Schema: upgrade.Schema, Location: `property of bundle "quay.v1.2.0"`, Raw: `{"steps":[]}`})
	newer := guarded(through13, minors...)
	newer.UpgradeRules[0].Schema = "io.openshift.operators.upgrades.v1beta1"
	unread := guarded(through13, minors...)
	unread.UpgradeRules[0].Fault = "it has more than 65536 bytes"
	for name, test := range map[string]struct {
		catalogs []Catalog
		want     string
		says     []string
	}{
		"as a blob":                             {one(guarded(through13, minors...)), "1.3.5 1.4.1", nil},
		"as a property":                         {one(property), "1.3.5 1.4.1", nil},
		"the same in two catalogs":              {[]Catalog{{ID: community, Package: guarded(through13, minors...)}, {ID: cluster, Package: property}}, "1.3.5 1.4.1", nil},
		"in the catalog that is not chosen":     {[]Catalog{{ID: community, Package: guarded(`{"steps":[]}`, minors...), Priority: 1}, {ID: cluster, Package: property}}, "1.3.5 1.4.1", nil},
		"two different ones in one catalog":     {one(twice), "stays", []string{"has 2 different ones", community.String()}},
		"of a version that is not known":        {one(newer), "stays", []string{"io.openshift.operators.upgrades.v1beta1", community.String()}},
		"for another package":                   {one(guarded(`{"package":"clair","steps":[]}`, minors...)), "stays", []string{`for package "clair"`, community.String()}},
		"malformed":                             {one(guarded(`{"steps":[{"from":"1.2.x","through":"one","to":">=1.4.0"}]}`, minors...)), "stays", []string{`steps[0].through: "one" is not a version range`}},
		"with a field that nobody knows":        {one(guarded(`{"soak":"24h"}`, minors...)), "stays", []string{`unknown field "soak"`}},
		"that could not be read at all":         {one(unread), "stays", []string{"more than 65536 bytes"}},
		"malformed in a catalog beside the one": {[]Catalog{{ID: community, Package: guarded(through13, minors...)}, {ID: cluster, Package: newer}}, "stays", []string{cluster.String()}},
	} {
		t.Run(name, func(t *testing.T) {
			got := Resolve(ask(installed("1.2.0")), test.catalogs)
			if way := way(got); way != test.want {
				t.Errorf("goes by %q, want %q: %s", way, test.want, got.Message)
			}
			if test.want != "stays" {
				return
			}
			for _, update := range got.Updates {
				if update.Reason != platformv1alpha1.BlockedRulesInvalid {
					t.Errorf("%s is blocked by %q", update.Version, update.Reason)
				}
				for _, part := range test.says {
					if !strings.Contains(update.Why(), part) {
						t.Errorf("%q does not say %q", update.Why(), part)
					}
				}
			}
		})
	}
	t.Run("they do not hinder a first installation", func(t *testing.T) {
		if got := Resolve(ask(nil), one(newer)); got.Chosen == nil || got.Chosen.Version.String() != "1.4.1" {
			t.Errorf("chose %s: %s", describe(got.Chosen), got.Message)
		}
	})
}

func TestUpdatesAreListedWithTheWayOrWhatIsInIt(t *testing.T) {
	pkg := quay(in{"stable", []string{"1.2.0", "1.3.5", "1.4.0", "1.4.1 max=\"4.19\"", "1.5.0", "1.6.0-rc.1", "2.0.0"}}, in{"fast", []string{"1.5.0", "3.0.0"}})
	for i := range pkg.Channels {
		for j := range pkg.Channels[i].Entries {
			pkg.Channels[i].Entries[j].SkipRange = ""
		}
	}
	pkg.UpgradeRules = guarded(through13).UpgradeRules
	list := func(req func(*Request)) []string {
		var lines []string
		for _, update := range Resolve(ask(req), one(pkg)).Updates {
			line := update.Version.String() + " [" + strings.Join(update.Channels, " ") + "]"
			if len(update.Path) > 0 {
				line += " by " + strings.Join(update.Path, " ")
			}
			if update.Reason != "" {
				line += ": " + string(update.Reason)
				if update.Why() == "" {
					t.Errorf("%s does not say why", line)
				}
			}
			lines = append(lines, line)
		}
		return lines
	}
	want := []string{
		"3.0.0 [fast]: Channel",
		"2.0.0 [stable]: NoEdge",
		"1.6.0-rc.1 [stable]: NoEdge",
		"1.5.0 [fast stable] by 1.3.5 1.5.0",
		"1.4.1 [stable]: Unfit",
		"1.4.0 [stable] by 1.3.5 1.4.0",
		"1.3.5 [stable] by 1.3.5",
	}
	if diff := cmp.Diff(want, list(installed("1.2.0"))); diff != "" {
		t.Errorf("automatic (-want +got):\n%s", diff)
	}
	want[3] += ": AwaitingApproval"
	want[6] += ": AwaitingApproval"
	if diff := cmp.Diff(want, list(installed("1.2.0", manual("1.4.0")))); diff != "" {
		t.Errorf("with 1.4.0 approved (-want +got):\n%s", diff)
	}
	want = []string{"3.0.0 [fast]: Channel", "2.0.0 [stable]: Range", "1.6.0-rc.1 [stable]: Range", "1.5.0 [fast stable] by 1.3.5 1.5.0: Range", "1.4.1 [stable]: Range", "1.4.0 [stable] by 1.3.5 1.4.0: Range", "1.3.5 [stable] by 1.3.5"}
	if diff := cmp.Diff(want, list(installed("1.2.0", versionRange("1.3.x")))); diff != "" {
		t.Errorf("in a range (-want +got):\n%s", diff)
	}
}

func TestTheRangeIsWhatIsInTheWay(t *testing.T) {
	demo := guarded(`{"semantics":"semver","steps":[{"from":"1.0.x","through":"1.1.x","to":">=1.2.0","select":"latest"},{"from":"<1.2.0","through":"1.2.x","to":">=1.3.0","select":"latest"}]}`,
		"1.0.0", "1.1.3", "1.1.4", "1.2.2", "1.3.0")
	patches := chained("3.17.0", "3.17.1", "3.17.2", "3.17.3", "3.17.4", "3.18.0")
	for name, test := range map[string]struct {
		req  func(*Request)
		pkg  *catalog.Package
		want []string // newest first: the version, the path, the reason
		says []string // of the newest
	}{
		"where an author's step leads through what the range has cut out": {
			installed("1.0.0", versionRange(">=1.0.0, !=1.2.2")), demo,
			[]string{"1.3.0: Range", "1.2.2 by 1.1.4 1.2.2: Range outside", "1.1.4 by 1.1.4", "1.1.3 by 1.1.3"},
			[]string{`the way leads through 1.2.2, which is outside spec.package.version ">=1.0.0, !=1.2.2": widen the range to permit it; or set spec.upgrades.edges to SelfCertified`},
		},
		"where the channel does": {
			installed("3.17.0", versionRange("!=3.17.1")), patches,
			[]string{"3.18.0: Range", "3.17.4: Range", "3.17.3: Range", "3.17.2: Range", "3.17.1 by 3.17.1: Range outside"},
			[]string{`the way leads through 3.17.1, which is outside spec.package.version "!=3.17.1": widen the range to permit it`},
		},
		"what is beyond a pin has the path that it would have if the pin were there": {
			installed("3.17.0", versionRange("3.17.0")), patches,
			[]string{
				"3.18.0 by 3.17.1 3.17.2 3.17.3 3.17.4 3.18.0: Range outside", "3.17.4 by 3.17.1 3.17.2 3.17.3 3.17.4: Range outside", "3.17.3 by 3.17.1 3.17.2 3.17.3: Range outside",
				"3.17.2 by 3.17.1 3.17.2: Range outside", "3.17.1 by 3.17.1: Range outside",
			}, nil,
		},
		"on the way to a pin as well": {
			installed("3.17.0", versionRange("3.17.2")), patches,
			[]string{
				"3.18.0 by 3.17.1 3.17.2 3.17.3 3.17.4 3.18.0: Range outside", "3.17.4 by 3.17.1 3.17.2 3.17.3 3.17.4: Range outside", "3.17.3 by 3.17.1 3.17.2 3.17.3: Range outside",
				"3.17.2 by 3.17.1 3.17.2", "3.17.1 by 3.17.1: Range outside",
			}, nil,
		},
		"beyond a range one does not pass through what was cut out of it by itself": {
			installed("3.17.0", versionRange(">=3.17.0 <3.18.0, !=3.17.4")), patches,
			[]string{"3.18.0: Range outside", "3.17.4 by 3.17.1 3.17.2 3.17.3 3.17.4: Range outside", "3.17.3 by 3.17.1 3.17.2 3.17.3", "3.17.2 by 3.17.1 3.17.2", "3.17.1 by 3.17.1"}, nil,
		},
		"a range that nothing is in yet": {
			installed("3.17.0", versionRange("3.19.x")), chained("3.17.0", "3.17.1", "3.18.0"),
			[]string{"3.18.0 by 3.17.1 3.18.0: Range outside", "3.17.1 by 3.17.1: Range outside"}, nil,
		},
		"what the cluster must not run is told where it is on the way, too": {
			installed("3.17.0", versionRange("!=3.17.1")), chained("3.17.0", "3.17.1", "3.17.2 max=\"4.19\"", "3.17.3"),
			[]string{"3.17.3: Unfit", "3.17.2: Unfit", "3.17.1 by 3.17.1: Range outside"},
			[]string{`3.17.1, which is outside spec.package.version "!=3.17.1": widen the range to permit it; 3.17.2, which allows OpenShift up to 4.19`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			updates := Resolve(ask(test.req), one(test.pkg)).Updates
			for _, update := range updates {
				line := update.Version.String()
				if len(update.Path) > 0 {
					line += " by " + strings.Join(update.Path, " ")
				}
				if update.Reason != "" {
					line += ": " + string(update.Reason)
				}
				if update.NotRequested {
					line += " outside"
				}
				got = append(got, line)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Fatalf("(-want +got):\n%s", diff)
			}
			for _, part := range test.says {
				if !strings.Contains(updates[0].Why(), part) {
					t.Errorf("%q does not say %q", updates[0].Why(), part)
				}
			}
		})
	}
	t.Run("where nothing of the range can be reached for it, that is told and not that the range has nothing", func(t *testing.T) {
		got := Resolve(ask(installed("3.17.2", versionRange("3.17.1 || 3.17.4"))), one(chained("3.17.1", "3.17.2", "3.17.3", "3.17.4")))
		if got.Chosen != nil || got.Reason != platformv1alpha1.ReasonValidationFailed || !strings.Contains(got.Message, "3.17.4 cannot be reached from 3.17.2: the way leads through 3.17.3, which is outside spec.package.version") {
			t.Errorf("chose %s, %s: %s", describe(got.Chosen), got.Reason, got.Message)
		}
	})
}

func TestAnApprovalThatCannotBeCarriedOutIsExplained(t *testing.T) {
	pkg := guarded(through13, "1.2.0", "1.3.5", "1.4.1", "2.0.0")
	for approved, want := range map[string]string{
		"1.9.0": `the approved version "1.9.0" is in no selected catalog`,
		"2.0.0": `the approved version "2.0.0" cannot follow 1.2.0`,
		"":      "",
		"1.2.0": "",
	} {
		got := Resolve(ask(installed("1.2.0", manual(approved))), one(pkg))
		if got.Awaiting == nil || !strings.HasPrefix(got.ApprovalProblem, want) || want == "" && got.ApprovalProblem != "" {
			t.Errorf("%q approved: %v awaits, %q, want %q", approved, got.Awaiting, got.ApprovalProblem, want)
		}
	}
}

func TestUPG_C4_TheSamePackageInSeveralCatalogs(t *testing.T) {
	other := guarded(through13, "1.2.0", "1.3.5 image=registry.example/other@sha256:0", "1.4.1")
	t.Run("a hop on the way that two catalogs disagree upon is ambiguous, too", func(t *testing.T) {
		got := Resolve(ask(installed("1.2.0")), []Catalog{{ID: community, Package: guarded(through13, "1.2.0", "1.3.5", "1.4.1")}, {ID: cluster, Package: other}})
		if got.Chosen != nil || !strings.Contains(got.Message, "version 1.3.5") || !strings.Contains(got.Message, platformv1alpha1.LabelCatalogKind) {
			t.Errorf("chose %s: %s", describe(got.Chosen), got.Message)
		}
	})
	t.Run("of a lower priority it does not count", func(t *testing.T) {
		got := Resolve(ask(installed("1.2.0")), []Catalog{{ID: community, Package: guarded(through13, "1.2.0", "1.3.5", "1.4.1"), Priority: 1}, {ID: cluster, Package: other}})
		if way(got) != "1.3.5 1.4.1" || got.Chosen.Catalog != community {
			t.Errorf("goes by %s from %v: %s", way(got), got.Chosen, got.Message)
		}
	})
}

// long is a text of so many characters.
func long(n int) string { return strings.Repeat("9", n) }

func TestWhatStatusCannotTellIsNotChosen(t *testing.T) {
	channel := strings.Repeat("c", 300)
	for name, pkg := range map[string]*catalog.Package{
		"a version":        stable("1.0.0", "1.1.0-"+long(200)),
		"an image":         stable("1.0.0", "1.1.0 image=registry.example/"+long(1000)),
		"a minKubeVersion": stable("1.0.0", "1.1.0 kube=1.20.0-"+long(200)),
		"a channel":        quay(in{"stable", []string{"1.0.0"}}, in{channel, []string{"1.1.0"}}),
	} {
		t.Run(name, func(t *testing.T) {
			got := Resolve(ask(func(r *Request) { r.Channels, r.VersionRange = []string{"stable", channel}, ">=1.0.0-0" }), one(pkg))
			if got.Chosen == nil || got.Chosen.Version.String() != "1.0.0" {
				t.Fatalf("%v was chosen: %s", got.Chosen, got.Message)
			}
			if len(got.Refused) != 1 || !strings.Contains(got.Refused[0].Why(), "characters") {
				t.Errorf("refused are %+v", got.Refused)
			}
		})
	}
}

// A catalog of a higher priority counts by what of it can be moved to.
func TestPriorityIsOfWhatCanBeMovedTo(t *testing.T) {
	unreachable := stable("3.0.0")
	unreachable.Channels[0].Entries[0].SkipRange = ">=2.0.0 <3.0.0"
	lower := stable("1.0.0", "1.1.0")
	for name, test := range map[string]struct {
		higher *catalog.Package
		want   string
	}{
		"nothing leads to what it has":           {unreachable, "1.1.0"},
		"it has a pre-release that nobody wants": {guarded("", "0.9.0", "2.0.0-rc.1"), "1.1.0"},
		"it has what is installed":               {stable("1.0.0 image=registry.example/quay@sha256:x"), "stays"},
		"it has what can be moved to":            {stable("2.0.0"), "2.0.0"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Resolve(ask(installed("1.0.0")), []Catalog{{ID: community, Package: lower}, {ID: other, Priority: 1, Package: test.higher}})
			if way := way(got); way != test.want || got.Chosen == nil {
				t.Errorf("goes by %q, want %q: %s", way, test.want, got.Message)
			}
		})
	}
}

func TestUpdateThatIsAmbiguousSaysSo(t *testing.T) {
	got := Resolve(ask(installed("1.0.0")), []Catalog{
		{ID: community, Package: stable("1.0.0", "1.1.0")}, {ID: other, Package: stable("1.0.0", "1.1.0 image=registry.example/quay@sha256:x")},
	})
	if len(got.Updates) != 1 || got.Updates[0].Reason != platformv1alpha1.BlockedAmbiguous || !strings.Contains(got.Updates[0].Why(), "spec.package.catalogSelector") {
		t.Errorf("updates are %+v", got.Updates)
	}
}

func TestMoveThatWaitsForApprovalSaysSo(t *testing.T) {
	for approved, installable := range map[string]bool{"": false, "1.1.0": true} {
		moves := Resolve(ask(installed("1.0.0", manual(approved))), one(stable("1.0.0", "1.1.0"))).Moves()
		if moves[0].Version != "1.1.0" || moves[0].Installable != installable || strings.Contains(moves[0].Obstacle, "spec.upgrades.approvedVersion") == installable {
			t.Errorf("with %q approved: %+v", approved, moves[0])
		}
	}
}
