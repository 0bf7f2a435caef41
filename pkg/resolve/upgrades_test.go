package resolve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// guarded returns a package with upgrade rules, as JSON, and without edges.
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

// chained returns a package in which each version replaces only the previous one.
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

// installed returns a change of a request that sets the installed version and then makes further changes.
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

// pathOf returns the path of a decision as text, "stays" if there is none, and the version that awaits approval.
func pathOf(d Decision) string {
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

func TestPaths(t *testing.T) {
	minors := []string{"1.2.0", "1.2.3", "1.3.0", "1.3.5", "1.4.0", "1.4.1"}
	for name, test := range map[string]struct {
		req  func(*Request)
		pkg  *catalog.Package
		want string
	}{
		"through the required intermediate version":                      {installed("1.2.0"), guarded(through13, minors...), "1.3.5 1.4.1"},
		"a pin several steps away":                                       {installed("1.2.0", versionRange("1.4.0")), guarded(through13, minors...), "1.3.5 1.4.0"},
		"an intermediate version below the range":                        {installed("1.2.0", versionRange(">=1.4.0")), guarded(through13, minors...), "1.3.5 1.4.1"},
		"no path through an excluded version":                            {installed("1.2.0", versionRange(">=1.2.0, !=1.3.5")), guarded(through13, minors...), "1.3.0 1.4.1"},
		"no path through an excluded version below the range":            {installed("1.1.0", versionRange(">=1.2.0, <1.3.0 || >=1.4.0")), chained("1.1.0", "1.2.0", "1.3.0", "1.4.0"), "1.2.0"},
		"no path if all intermediate versions are excluded":              {installed("1.2.0", versionRange("!=1.3.x")), guarded(through13, minors...), "1.2.3"},
		"versions that were ready before count":                          {installed("1.2.3", func(r *Request) { r.Ready = []string{"1.2.0"} }), guarded(through13, minors...), "1.3.5 1.4.1"},
		"an installed version that no catalog has":                       {installed("1.2.9"), guarded(through13, minors...), "1.3.5 1.4.1"},
		"the newest version is installed":                                {installed("1.4.1"), guarded(through13, minors...), "stays"},
		"the newest version of the range is installed":                   {installed("1.2.3", versionRange("1.2.x")), guarded(through13, minors...), "stays"},
		"the newest reachable version":                                   {installed("1.2.0"), guarded(`{"steps":[{"from":"1.2.x","to":">=1.4.0","through":"1.3.9"}]}`, minors...), "1.3.5"},
		"without rules, the edges of the channels apply":                 {installed("1.2.0"), guarded("", minors...), "stays"},
		"without rules, the manager's default edges apply":               {installed("1.2.0", func(r *Request) { r.DefaultEdges = upgrade.Semver }), guarded("", minors...), "1.4.1"},
		"the PlatformOperator's edges apply":                             {installed("1.2.0", edges(platformv1alpha1.EdgesSemver)), guarded("", minors...), "1.4.1"},
		"semver edges do not override required steps":                    {installed("1.2.0", edges(platformv1alpha1.EdgesSemver)), guarded(through13, minors...), "1.3.5 1.4.1"},
		"SelfCertified edges override required steps":                    {installed("1.2.0", edges(platformv1alpha1.EdgesSelfCertified)), guarded(through13, minors...), "1.4.1"},
		"no upgrade to a deprecated version":                             {installed("1.2.0"), deprecating(guarded(through13, minors...), "1.4.1", "1.3.5"), "1.3.0 1.4.0"},
		"a deprecated version if the range has no other":                 {installed("1.2.0", versionRange(">=1.4.1")), deprecating(guarded(through13, minors...), "1.4.1", "1.3.5"), "1.3.0 1.4.1"},
		"no upgrade from a supported to a deprecated version":            {installed("1.4.0"), deprecating(guarded(through13, minors...), "1.4.1"), "stays"},
		"an upgrade from a deprecated version to a newer deprecated one": {installed("1.4.0"), deprecating(guarded(through13, minors...), "1.4.0", "1.4.1"), "1.4.1"},
		"no upgrade without approval":                                    {installed("1.2.0", manual("")), guarded(through13, minors...), "stays, 1.4.1 awaits approval"},
		"an approved version with its intermediate versions":             {installed("1.2.0", manual("1.4.0")), guarded(through13, minors...), "1.3.5 1.4.0"},
		"the approved version is installed":                              {installed("1.4.0", manual("1.4.0")), guarded(through13, minors...), "stays, 1.4.1 awaits approval"},
		"the approved version does not exist":                            {installed("1.2.0", manual("1.5.0")), guarded(through13, minors...), "stays, 1.4.1 awaits approval"},
		"no approval, and no catalog has the installed version":          {installed("1.2.9", manual("")), guarded(through13, minors...), "stays, 1.4.1 awaits approval"},
		"the approved version is deprecated":                             {installed("1.4.0", manual("1.4.1")), deprecating(guarded(through13, minors...), "1.4.1"), "1.4.1"},
		"no newer version awaits approval":                               {installed("1.4.1", manual("")), guarded(through13, minors...), "stays"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Resolve(newRequest(test.req), one(test.pkg))
			if path := pathOf(got); path != test.want {
				t.Errorf("the path is %q, want %q: %s", path, test.want, got.Message)
			}
			if got.Reason == "" && len(got.Path) > 0 && got.Chosen.Version.String() != strings.Fields(test.want)[0] {
				t.Errorf("Chosen is %s, want the first step of the path", got.Chosen.Version)
			}
		})
	}
}

// deprecating marks the bundles of these versions as deprecated, and returns pkg.
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
func TestUPG_V11_Downgrades(t *testing.T) {
	versions := []string{"1.8.0", "1.9.0", "2.0.0"}
	for name, test := range map[string]struct {
		req  func(*Request)
		pkg  *catalog.Package
		want string
		says []string
	}{
		"a range below the installed version": {installed("1.9.0", versionRange("<1.9.0")), stable(versions...), "stays",
			[]string{"1.8.0 is older than the installed 1.9.0", "set spec.upgrades.edges to SelfCertified", "delete the PlatformOperator"}},
		"an older pin": {installed("1.9.0", versionRange("1.8.0")), stable(versions...), "stays",
			[]string{"1.8.0 is older than the installed 1.9.0", "set spec.upgrades.edges to SelfCertified"}},
		"SelfCertified without a range":                           {installed("2.1.0", edges(platformv1alpha1.EdgesSelfCertified)), stable(versions...), "stays", nil},
		"SelfCertified without a range, deprecated":               {installed("2.0.0", edges(platformv1alpha1.EdgesSelfCertified)), deprecating(stable(versions...), "2.0.0"), "stays", nil},
		"SelfCertified and a range with older and newer versions": {installed("2.0.0", edges(platformv1alpha1.EdgesSelfCertified), versionRange(">=1.8.0")), stable(versions...), "stays", nil},
		"SelfCertified and a range without the installed version": {installed("1.9.0", edges(platformv1alpha1.EdgesSelfCertified), versionRange("!=1.9.0")), stable(versions...), "2.0.0", nil},
		"SelfCertified and an older pin":                          {installed("1.9.0", edges(platformv1alpha1.EdgesSelfCertified), versionRange("1.8.0")), stable(versions...), "1.8.0", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := Resolve(newRequest(test.req), one(test.pkg))
			if path := pathOf(got); path != test.want {
				t.Errorf("the path is %q, want %q: %s", path, test.want, got.Message)
			}
			for _, part := range test.says {
				if !strings.Contains(got.Message, part) {
					t.Errorf("%q does not contain %q", got.Message, part)
				}
			}
			for _, step := range got.Path {
				if step.Sources[0].Kind != upgrade.FromSelfCertified {
					t.Errorf("the sources of the step are %v, want SelfCertified", step.Sources)
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
		"rules in a blob":                              {one(guarded(through13, minors...)), "1.3.5 1.4.1", nil},
		"rules in a property":                          {one(property), "1.3.5 1.4.1", nil},
		"equal rules in two catalogs":                  {[]Catalog{{ID: community, Package: guarded(through13, minors...)}, {ID: cluster, Package: property}}, "1.3.5 1.4.1", nil},
		"rules in the catalog with the lower priority": {[]Catalog{{ID: community, Package: guarded(`{"steps":[]}`, minors...), Priority: 1}, {ID: cluster, Package: property}}, "1.3.5 1.4.1", nil},
		"two different rules in one catalog":           {one(twice), "stays", []string{"has 2 different ones", community.String()}},
		"rules of an unknown version":                  {one(newer), "stays", []string{"io.openshift.operators.upgrades.v1beta1", community.String()}},
		"rules for another package":                    {one(guarded(`{"package":"clair","steps":[]}`, minors...)), "stays", []string{`for package "clair"`, community.String()}},
		"malformed":                                    {one(guarded(`{"steps":[{"from":"1.2.x","through":"one","to":">=1.4.0"}]}`, minors...)), "stays", []string{`steps[0].through: "one" is not a version range`}},
		"rules with an unknown field":                  {one(guarded(`{"soak":"24h"}`, minors...)), "stays", []string{`unknown field "soak"`}},
		"unreadable rules":                             {one(unread), "stays", []string{"more than 65536 bytes"}},
		"invalid rules in another catalog":             {[]Catalog{{ID: community, Package: guarded(through13, minors...)}, {ID: cluster, Package: newer}}, "stays", []string{cluster.String()}},
	} {
		t.Run(name, func(t *testing.T) {
			got := Resolve(newRequest(installed("1.2.0")), test.catalogs)
			if path := pathOf(got); path != test.want {
				t.Errorf("the path is %q, want %q: %s", path, test.want, got.Message)
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
						t.Errorf("%q does not contain %q", update.Why(), part)
					}
				}
			}
		})
	}
	t.Run("invalid rules do not block a first installation", func(t *testing.T) {
		if got := Resolve(newRequest(nil), one(newer)); got.Chosen == nil || got.Chosen.Version.String() != "1.4.1" {
			t.Errorf("chose %s: %s", describe(got.Chosen), got.Message)
		}
	})
}

func TestUpdates(t *testing.T) {
	pkg := quay(in{"stable", []string{"1.2.0", "1.3.5", "1.4.0", "1.4.1 max=\"4.19\"", "1.5.0", "1.6.0-rc.1", "2.0.0"}}, in{"fast", []string{"1.5.0", "3.0.0"}})
	for i := range pkg.Channels {
		for j := range pkg.Channels[i].Entries {
			pkg.Channels[i].Entries[j].SkipRange = ""
		}
	}
	pkg.UpgradeRules = guarded(through13).UpgradeRules
	list := func(req func(*Request)) []string {
		var lines []string
		for _, update := range Resolve(newRequest(req), one(pkg)).Updates {
			line := update.Version.String() + " [" + strings.Join(update.Channels, " ") + "]"
			if len(update.Path) > 0 {
				line += " by " + strings.Join(update.Path, " ")
			}
			if update.Reason != "" {
				line += ": " + string(update.Reason)
				if update.Why() == "" {
					t.Errorf("%s has no cause", line)
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

func TestUpdatesBlockedByTheRange(t *testing.T) {
	demo := guarded(`{"semantics":"semver","steps":[{"from":"1.0.x","through":"1.1.x","to":">=1.2.0","select":"latest"},{"from":"<1.2.0","through":"1.2.x","to":">=1.3.0","select":"latest"}]}`,
		"1.0.0", "1.1.3", "1.1.4", "1.2.2", "1.3.0")
	patches := chained("3.17.0", "3.17.1", "3.17.2", "3.17.3", "3.17.4", "3.18.0")
	for name, test := range map[string]struct {
		req  func(*Request)
		pkg  *catalog.Package
		want []string // newest first: the version, the path, the reason
		says []string // of the newest
	}{
		"a required intermediate version is excluded": {
			installed("1.0.0", versionRange(">=1.0.0, !=1.2.2")), demo,
			[]string{"1.3.0: Range", "1.2.2 by 1.1.4 1.2.2: Range outside", "1.1.4 by 1.1.4", "1.1.3 by 1.1.3"},
			[]string{`the way leads through 1.2.2, which is outside spec.package.version ">=1.0.0, !=1.2.2": widen the range to permit it; or set spec.upgrades.edges to SelfCertified`},
		},
		"a version on the path of channel edges is excluded": {
			installed("3.17.0", versionRange("!=3.17.1")), patches,
			[]string{"3.18.0: Range", "3.17.4: Range", "3.17.3: Range", "3.17.2: Range", "3.17.1 by 3.17.1: Range outside"},
			[]string{`the way leads through 3.17.1, which is outside spec.package.version "!=3.17.1": widen the range to permit it`},
		},
		"versions above a pin have the path of a wider range": {
			installed("3.17.0", versionRange("3.17.0")), patches,
			[]string{
				"3.18.0 by 3.17.1 3.17.2 3.17.3 3.17.4 3.18.0: Range outside", "3.17.4 by 3.17.1 3.17.2 3.17.3 3.17.4: Range outside", "3.17.3 by 3.17.1 3.17.2 3.17.3: Range outside",
				"3.17.2 by 3.17.1 3.17.2: Range outside", "3.17.1 by 3.17.1: Range outside",
			}, nil,
		},
		"versions below a pin that is not reached yet": {
			installed("3.17.0", versionRange("3.17.2")), patches,
			[]string{
				"3.18.0 by 3.17.1 3.17.2 3.17.3 3.17.4 3.18.0: Range outside", "3.17.4 by 3.17.1 3.17.2 3.17.3 3.17.4: Range outside", "3.17.3 by 3.17.1 3.17.2 3.17.3: Range outside",
				"3.17.2 by 3.17.1 3.17.2", "3.17.1 by 3.17.1: Range outside",
			}, nil,
		},
		"the path to a version above the range avoids excluded versions": {
			installed("3.17.0", versionRange(">=3.17.0 <3.18.0, !=3.17.4")), patches,
			[]string{"3.18.0: Range outside", "3.17.4 by 3.17.1 3.17.2 3.17.3 3.17.4: Range outside", "3.17.3 by 3.17.1 3.17.2 3.17.3", "3.17.2 by 3.17.1 3.17.2", "3.17.1 by 3.17.1"}, nil,
		},
		"a range without versions": {
			installed("3.17.0", versionRange("3.19.x")), chained("3.17.0", "3.17.1", "3.18.0"),
			[]string{"3.18.0 by 3.17.1 3.18.0: Range outside", "3.17.1 by 3.17.1: Range outside"}, nil,
		},
		"an intermediate version does not fit the cluster": {
			installed("3.17.0", versionRange("!=3.17.1")), chained("3.17.0", "3.17.1", "3.17.2 max=\"4.19\"", "3.17.3"),
			[]string{"3.17.3: Unfit", "3.17.2: Unfit", "3.17.1 by 3.17.1: Range outside"},
			[]string{`3.17.1, which is outside spec.package.version "!=3.17.1": widen the range to permit it; 3.17.2, which allows OpenShift up to 4.19`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			updates := Resolve(newRequest(test.req), one(test.pkg)).Updates
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
					t.Errorf("%q does not contain %q", updates[0].Why(), part)
				}
			}
		})
	}
	t.Run("no version of the range is reachable", func(t *testing.T) {
		got := Resolve(newRequest(installed("3.17.2", versionRange("3.17.1 || 3.17.4"))), one(chained("3.17.1", "3.17.2", "3.17.3", "3.17.4")))
		if got.Chosen != nil || got.Reason != platformv1alpha1.ReasonValidationFailed || !strings.Contains(got.Message, "3.17.4 cannot be reached from 3.17.2: the way leads through 3.17.3, which is outside spec.package.version") {
			t.Errorf("chose %s, %s: %s", describe(got.Chosen), got.Reason, got.Message)
		}
	})
}

func TestApprovalProblemOfABlockedVersion(t *testing.T) {
	pkg := guarded(through13, "1.2.0", "1.3.5", "1.4.1", "2.0.0")
	for approved, want := range map[string]string{
		"1.9.0": `the approved version "1.9.0" is in no selected catalog`,
		"2.0.0": `the approved version "2.0.0" cannot follow 1.2.0`,
		"":      "",
		"1.2.0": "",
	} {
		got := Resolve(newRequest(installed("1.2.0", manual(approved))), one(pkg))
		if got.Awaiting == nil || !strings.HasPrefix(got.ApprovalProblem, want) || want == "" && got.ApprovalProblem != "" {
			t.Errorf("with %q approved, Awaiting is %v, ApprovalProblem is %q, want %q", approved, got.Awaiting, got.ApprovalProblem, want)
		}
	}
}

func TestUPG_C4_TheSamePackageInSeveralCatalogs(t *testing.T) {
	other := guarded(through13, "1.2.0", "1.3.5 image=registry.example/other@sha256:0", "1.4.1")
	t.Run("an intermediate version with different images is ambiguous", func(t *testing.T) {
		got := Resolve(newRequest(installed("1.2.0")), []Catalog{{ID: community, Package: guarded(through13, "1.2.0", "1.3.5", "1.4.1")}, {ID: cluster, Package: other}})
		if got.Chosen != nil || !strings.Contains(got.Message, "version 1.3.5") || !strings.Contains(got.Message, platformv1alpha1.LabelCatalogKind) {
			t.Errorf("chose %s: %s", describe(got.Chosen), got.Message)
		}
	})
	t.Run("an image of a lower priority does not count", func(t *testing.T) {
		got := Resolve(newRequest(installed("1.2.0")), []Catalog{{ID: community, Package: guarded(through13, "1.2.0", "1.3.5", "1.4.1"), Priority: 1}, {ID: cluster, Package: other}})
		if pathOf(got) != "1.3.5 1.4.1" || got.Chosen.Catalog != community {
			t.Errorf("the path is %s, Chosen is %v: %s", pathOf(got), got.Chosen, got.Message)
		}
	})
}

// long returns a text of n characters.
func long(n int) string { return strings.Repeat("9", n) }

func TestBundlesWithTooLongFieldsAreRefused(t *testing.T) {
	channel := strings.Repeat("c", 300)
	for name, pkg := range map[string]*catalog.Package{
		"a version":        stable("1.0.0", "1.1.0-"+long(200)),
		"an image":         stable("1.0.0", "1.1.0 image=registry.example/"+long(1000)),
		"a minKubeVersion": stable("1.0.0", "1.1.0 kube=1.20.0-"+long(200)),
		"a channel":        quay(in{"stable", []string{"1.0.0"}}, in{channel, []string{"1.1.0"}}),
	} {
		t.Run(name, func(t *testing.T) {
			got := Resolve(newRequest(func(r *Request) { r.Channels, r.VersionRange = []string{"stable", channel}, ">=1.0.0-0" }), one(pkg))
			if got.Chosen == nil || got.Chosen.Version.String() != "1.0.0" {
				t.Fatalf("%v was chosen: %s", got.Chosen, got.Message)
			}
			if len(got.Refused) != 1 || !strings.Contains(got.Refused[0].Why(), "characters") {
				t.Errorf("refused are %+v", got.Refused)
			}
		})
	}
}

// TestPriorityOfReachableVersions checks that a catalog of higher priority takes precedence only if it has a reachable version.
func TestPriorityOfReachableVersions(t *testing.T) {
	unreachable := stable("3.0.0")
	unreachable.Channels[0].Entries[0].SkipRange = ">=2.0.0 <3.0.0"
	lower := stable("1.0.0", "1.1.0")
	for name, test := range map[string]struct {
		higher *catalog.Package
		want   string
	}{
		"its version is unreachable":   {unreachable, "1.1.0"},
		"it has only a pre-release":    {guarded("", "0.9.0", "2.0.0-rc.1"), "1.1.0"},
		"it has the installed version": {stable("1.0.0 image=registry.example/quay@sha256:x"), "stays"},
		"it has a reachable version":   {stable("2.0.0"), "2.0.0"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Resolve(newRequest(installed("1.0.0")), []Catalog{{ID: community, Package: lower}, {ID: other, Priority: 1, Package: test.higher}})
			if path := pathOf(got); path != test.want || got.Chosen == nil {
				t.Errorf("the path is %q, want %q: %s", path, test.want, got.Message)
			}
		})
	}
}

func TestAmbiguousUpdates(t *testing.T) {
	got := Resolve(newRequest(installed("1.0.0")), []Catalog{
		{ID: community, Package: stable("1.0.0", "1.1.0")}, {ID: other, Package: stable("1.0.0", "1.1.0 image=registry.example/quay@sha256:x")},
	})
	if len(got.Updates) != 1 || got.Updates[0].Reason != platformv1alpha1.BlockedAmbiguous || !strings.Contains(got.Updates[0].Why(), "spec.package.catalogSelector") {
		t.Errorf("updates are %+v", got.Updates)
	}
}

func TestMovesThatAwaitApproval(t *testing.T) {
	for approved, installable := range map[string]bool{"": false, "1.1.0": true} {
		moves := Resolve(newRequest(installed("1.0.0", manual(approved))), one(stable("1.0.0", "1.1.0"))).Moves(Request{})
		if moves[0].Version != "1.1.0" || moves[0].Installable != installable || strings.Contains(moves[0].Obstacle, "spec.upgrades.approvedVersion") == installable {
			t.Errorf("with %q approved: %+v", approved, moves[0])
		}
	}
}
