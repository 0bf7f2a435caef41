package joint

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
)

func TestRequirementsOfABundle(t *testing.T) {
	all := func(members ...catalog.Requirement) catalog.Requirement { return catalog.Requirement{All: members} }
	any := func(members ...catalog.Requirement) catalog.Requirement { return catalog.Requirement{Any: members} }
	not := func(members ...catalog.Requirement) catalog.Requirement { return catalog.Requirement{Not: members} }
	cel := catalog.Requirement{Unsupported: "a CEL rule in an olm.constraint"}
	// newA returns an operator "a" whose only version has this requirement.
	newA := func(requirement catalog.Requirement) *fleet {
		n := newFleet([]string{"a", "1.0.0"})
		n.packages["a"].Bundles[0].Requirements = []catalog.Requirement{requirement}
		return n
	}
	served := func(kind resolve.Kind) func(*fleet) {
		return func(n *fleet) { n.state.Kinds = append(n.state.Kinds, kind) }
	}
	installed := func(pkg, version string) func(*fleet) {
		return func(n *fleet) {
			n.state.ExternalPackages = append(n.state.ExternalPackages, resolve.ExternalPackage{Package: pkg, Version: version, Installer: "Subscription ops/" + pkg})
		}
	}
	provided := func(packages ...string) func(*fleet) {
		return func(n *fleet) {
			n.state.ProviderHints = everyKindBy(resolve.ProviderHint{Catalog: community, Packages: packages})
		}
	}
	watching := func(namespace string) func(*fleet) {
		return func(n *fleet) { n.requests[0].WatchNamespace = namespace }
	}
	// manifest adds a ClusterServiceVersion with this spec to the newest version of "a".
	manifest := func(spec string) func(*fleet) {
		return func(n *fleet) {
			bundles := n.packages["a"].Bundles
			if err := bundles[len(bundles)-1].AddManifest([]byte(`{"kind":"ClusterServiceVersion","spec":{` + spec + `}}`)); err != nil {
				t.Fatal(err)
			}
		}
	}
	const refused = "nothing"
	for name, test := range map[string]struct {
		in   *fleet
		want string
		says []string
	}{
		"webhooks are accepted": {newFleet([]string{"a", "1.0.0"}).with(manifest(`"webhookdefinitions":[{"type":"ConversionWebhook","generateName":"w"},{"type":"ValidatingAdmissionWebhook","generateName":"v"}]`)), "1.0.0", nil},
		"an APIService is refused": {newFleet([]string{"a", "1.0.0"}).with(manifest(`"apiservicedefinitions":{"owned":[{"group":"g","version":"v1","kind":"K"}]}`)), refused,
			[]string{"1.0.0 declares aggregated APIs (APIServices)", "not supported"}},
		"a required APIService is not a provided one":    {newFleet([]string{"a", "1.0.0"}).with(manifest(`"apiservicedefinitions":{"required":[{"group":"g","version":"v1","kind":"K"}]}`)), "1.0.0", nil},
		"a version without an APIService is chosen":      {newFleet([]string{"a", "0.1.0", "1.0.0"}).with(manifest(`"apiservicedefinitions":{"owned":[{"kind":"K"}]}`)), "0.1.0", nil},
		"a bundle that requires a watch namespace":       {newFleet([]string{"a", "1.0.0 mode=SingleNamespace"}), refused, []string{"spec.install.config.watchNamespace"}},
		"a bundle with a watch namespace":                {newFleet([]string{"a", "1.0.0 mode=SingleNamespace"}).with(watching("b")), "1.0.0", nil},
		"a bundle that cannot watch the namespace":       {newFleet([]string{"a", "1.0.0 mode=AllNamespaces"}).with(watching("b")), refused, []string{"does not support install mode SingleNamespace"}},
		"a kind that the cluster serves":                 {newA(requirement("K")).with(served(resolve.Kind{GVK: gvk("K")})), "1.0.0", nil},
		"a kind of a Subscription":                       {newA(requirement("K")).with(served(resolve.Kind{GVK: gvk("K"), Installer: "Subscription ops/k"})), "1.0.0", nil},
		"a kind of the bundle itself":                    {newFleet([]string{"a", "1.0.0 provides=K requires=K"}), "1.0.0", nil},
		"a kind of the same name in another version":     {newA(requirement("K")).with(served(resolve.Kind{GVK: catalog.GVK{Group: "example.com", Version: "v2", Kind: "K"}})), refused, []string{`needs kind "example.com/v1, Kind=K"`}},
		"a kind that no package provides":                {newA(requirement("K")), refused, []string{`needs kind "example.com/v1, Kind=K": nothing on the cluster provides it; no package that is known here provides it`}},
		"a kind that a package in the catalogs provides": {newA(requirement("K")).with(provided("kay")), refused, []string{`create a PlatformOperator for package "kay"`}},
		"a kind that several packages provide":           {newA(requirement("K")).with(provided("kay", "jay")), refused, []string{`for one of the packages "jay", "kay"`}},
		"a package of a Subscription":                    {newA(requirement("b:>=1.0.0")).with(installed("b", "1.2.0")), "1.0.0", nil},
		"a package of a Subscription in another version": {newA(requirement("b:>=2.0.0")).with(installed("b", "1.2.0")), refused, []string{`needs package "b" in version range ">=2.0.0": Subscription ops/b has it at version "1.2.0"; move that`}},
		"a package with an unknown version":              {newA(requirement("b:>=2.0.0")).with(installed("b", "")), refused, []string{`has it at version ""`}},
		"a package in any version":                       {newA(requirement("b:")).with(installed("b", "")), "1.0.0", nil},
		"a package that is not requested":                {newA(requirement("b:>=2.0.0")), refused, []string{`create a PlatformOperator for package "b"`}},
		"a range that cannot be read":                    {newA(requirement("b:later")).with(installed("b", "1.0.0")), refused, []string{`"later" is not a version range`}},
		"nor can the opposite of it be known":            {newA(not(requirement("b:later"))).with(installed("b", "1.0.0")), refused, []string{`"later" is not a version range`}},
		"an installed operator's package":                {newFleet([]string{"b@2.0.0", "2.0.0"}, []string{"a", "1.0.0 requires=b:>=2.0.0"}), "1.0.0", nil},
		"one that no catalog has any more":               {newFleet([]string{"b@2.0.0", "1.0.0"}, []string{"a", "1.0.0 requires=b:>=2.0.0"}), "1.0.0", nil},
		"an installed operator's kind":                   {newFleet([]string{"b@2.0.0", "2.0.0 provides=K"}, []string{"a", "1.0.0 requires=K"}), "1.0.0", nil},
		"one that the cluster serves and no catalog has": {newFleet([]string{"b@2.0.0", "1.0.0"}, []string{"a", "1.0.0 requires=K"}).with(served(resolve.Kind{GVK: gvk("K"), Operator: "b"})), "1.0.0", nil},
		"an operator without a version that would do":    {newFleet([]string{"b@1.0.0", "1.0.0"}, []string{"a", "1.0.0 requires=b:>=2.0.0"}), refused, []string{`PlatformOperator "b", which is of that package, has no such version`}},
		"all of two, one missing": {newA(all(requirement("K"), requirement("L"))).with(served(resolve.Kind{GVK: gvk("K")})), refused,
			[]string{`needs all of (kind "example.com/v1, Kind=K"; kind "example.com/v1, Kind=L")`, `Kind=K": it is there already`, `Kind=L": nothing on the cluster provides it`}},
		"all of two":                                              {newA(all(requirement("K"), requirement("L"))).with(served(resolve.Kind{GVK: gvk("K")})).with(served(resolve.Kind{GVK: gvk("L")})), "1.0.0", nil},
		"any of two, one there":                                   {newA(any(requirement("K"), requirement("b:>=1.0.0"))).with(served(resolve.Kind{GVK: gvk("K")})), "1.0.0", nil},
		"any of two, none there":                                  {newA(any(requirement("K"), requirement("b:>=1.0.0"))), refused, []string{"needs any of (", `create a PlatformOperator for package "b"`}},
		"none of two, none there":                                 {newA(not(requirement("K"), requirement("L"))), "1.0.0", nil},
		"none of two, one there":                                  {newA(not(requirement("K"), requirement("L"))).with(served(resolve.Kind{GVK: gvk("L")})), refused, []string{"needs none of (", `Kind=L": it is there already`}},
		"not all of two, one there":                               {newA(not(all(requirement("K"), requirement("L")))).with(served(resolve.Kind{GVK: gvk("K")})), "1.0.0", nil},
		"not any of two, one there":                               {newA(not(any(requirement("K"), requirement("L")))).with(served(resolve.Kind{GVK: gvk("K")})), refused, nil},
		"what cannot be judged":                                   {newA(cel), refused, []string{"needs a CEL rule in an olm.constraint: this cannot be judged here"}},
		"nor can its opposite":                                    {newA(not(cel)), refused, []string{"this cannot be judged here"}},
		"beside something that is met":                            {newA(any(cel, requirement("K"))).with(served(resolve.Kind{GVK: gvk("K")})), "1.0.0", nil},
		"the author's message is reported":                        {newA(catalog.Requirement{Any: []catalog.Requirement{requirement("K")}, Message: "install K first"}), refused, []string{`(its author: "install K first")`}},
		"the installed version stays":                             {newFleet([]string{"a@1.0.0", "1.0.0 requires=K"}).with(manifest(`"apiservicedefinitions":{"owned":[{"kind":"K"}]}`)), "1.0.0", nil},
		"no upgrade to another version with an unmet requirement": {newFleet([]string{"a@1.0.0", "1.0.0 requires=K", "1.1.0 requires=K"}), "1.0.0", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := test.in.decide()
			if outcome := outcome(map[string]resolve.Decision{"a": got["a"]}); outcome != "a "+test.want {
				t.Errorf("%s, want %s: %s", outcome, test.want, got["a"].Message)
			}
			for _, part := range test.says {
				if !strings.Contains(got["a"].Message, part) {
					t.Errorf("message %q does not contain %q", got["a"].Message, part)
				}
			}
			if test.want == refused && got["a"].Reason != platformv1alpha1.ReasonValidationFailed {
				t.Errorf("the reason is %q", got["a"].Reason)
			}
		})
	}
}

// Promise UPG-R3: Operators that need the kinds of one another are installed together. When two provide one kind, both name the conflict;
// a package of a Subscription or ClusterExtension is refused with that object named.
func TestUPG_R3_InterdependentOperators(t *testing.T) {
	external := func(pkg, installer string) func(*fleet) {
		return func(n *fleet) {
			n.state.ExternalPackages = append(n.state.ExternalPackages, resolve.ExternalPackage{Package: pkg, Version: "1.0.0", Installer: installer})
		}
	}
	for name, test := range map[string]struct {
		in   *fleet
		want string
		// says has, by operator, texts that its message, conflicts or notes must contain.
		says map[string][]string
	}{
		"each provides what the other requires": {newFleet([]string{"a", "1.0.0 provides=A requires=B"}, []string{"b", "1.0.0 provides=B requires=A"}), "a 1.0.0, b 1.0.0", nil},
		"three operators in a cycle":            {newFleet([]string{"a", "1.0.0 provides=A requires=B"}, []string{"b", "1.0.0 provides=B requires=C"}, []string{"c", "1.0.0 provides=C requires=A"}), "a 1.0.0, b 1.0.0, c 1.0.0", nil},
		"the older operator gets its best version": {newFleet([]string{"a", "1.0.0", "2.0.0 requires=b:<2.0.0"}, []string{"b", "1.0.0", "2.0.0"}), "a 2.0.0, b 1.0.0",
			map[string][]string{"b": {`needs package "b" in version range "<2.0.0"`, `PlatformOperator "a"`}, "a": {`PlatformOperator "b" does without 2.0.0`}}},
		"a younger operator does not change the version of an older one": {newFleet([]string{"b", "1.0.0", "2.0.0"}, []string{"a", "1.0.0", "2.0.0 requires=b:<2.0.0"}), "a 1.0.0, b 2.0.0",
			map[string][]string{"a": {`needs package "b" in version range "<2.0.0"`, `PlatformOperator "b" gets 2.0.0`, `spec.package.version of "b"`}, "b": {`PlatformOperator "a" does without 2.0.0`}}},
		"the required version is outside the other operator's range": {newFleet([]string{"b", "1.0.0", "2.0.0"}, []string{"a", "1.0.0 requires=b:>=2.0.0"}).with(func(n *fleet) { n.requests[0].VersionRange = "1.x" }), "a nothing, b 1.0.0",
			map[string][]string{"a": {`needs package "b" in version range ">=2.0.0" (PlatformOperator "b" does not have that in what it can have, 1.0.0)`, `permit such a version by spec.package.version of "b"`}}},
		"two provide one kind: the older one is installed": {newFleet([]string{"a", "1.0.0 provides=K"}, []string{"b", "1.0.0 provides=K"}), "a 1.0.0, b nothing",
			map[string][]string{"b": {`provides the kind "example.com/v1, Kind=K", which PlatformOperator "a" (package "a") provides too`, "delete one of these PlatformOperators"}, "a": {`PlatformOperator "b" does without 1.0.0`}}},
		"two provide one kind: the installed one stays": {newFleet([]string{"a", "1.0.0 provides=K"}, []string{"b@1.0.0", "1.0.0 provides=K"}), "a nothing, b 1.0.0",
			map[string][]string{"a": {`provides the kind`, `PlatformOperator "b"`}, "b": {`PlatformOperator "a" does without 1.0.0`}}},
		"a kind is unavailable until its provider no longer has it": {newFleet([]string{"a", "1.0.0 provides=K"}, []string{"b@1.0.0", "1.0.0 provides=K", "2.0.0"}), "a nothing, b 2.0.0",
			map[string][]string{"a": {`PlatformOperator "b"`}}},
		"a kind is available after its provider no longer has it":   {newFleet([]string{"a", "1.0.0 provides=K"}, []string{"b@2.0.0", "1.0.0 provides=K", "2.0.0"}), "a 1.0.0, b 2.0.0", nil},
		"the newest version that does not provide the kind":         {newFleet([]string{"a", "1.0.0 provides=K"}, []string{"b", "1.0.0", "2.0.0 provides=K"}), "a 1.0.0, b 1.0.0", map[string][]string{"b": {"provides the kind"}}},
		"two installed providers of one kind are upgraded":          {newFleet([]string{"a@1.0.0", "1.0.0 provides=K", "1.1.0 provides=K"}, []string{"b@1.0.0", "1.0.0 provides=K", "1.1.0 provides=K"}), "a 1.1.0, b 1.1.0", nil},
		"an upgrade does not remove a required kind":                {newFleet([]string{"a@1.0.0", "1.0.0 provides=K", "2.0.0"}, []string{"b@1.0.0", "1.0.0 requires=K"}), "a 1.0.0, b 1.0.0", map[string][]string{"a": {`PlatformOperator "b" in 1.0.0 needs kind`}, "b": {`PlatformOperator "a" does without 2.0.0`}}},
		"both operators are upgraded together":                      {newFleet([]string{"a@1.0.0", "1.0.0 provides=K", "2.0.0"}, []string{"b@1.0.0", "1.0.0 requires=K", "2.0.0"}), "a 2.0.0, b 2.0.0", nil},
		"an unmet requirement of an installed version is tolerated": {newFleet([]string{"a@1.0.0", "1.0.0", "2.0.0"}, []string{"b@1.0.0", "1.0.0 requires=K"}), "a 2.0.0, b 1.0.0", nil},
		"the first upgrade step must fit": {newFleet([]string{"a@1.0.0", "1.0.0", "1.1.0 requires=b:<2.0.0", "2.0.0 after=1.1.0"}, []string{"b@2.0.0", "1.0.0", "2.0.0"}).with(func(n *fleet) {
			n.requests[0].VersionRange = ">=2.0.0"
		}), "a nothing, b 2.0.0", map[string][]string{"a": {`2.0.0 needs package "b" in version range "<2.0.0"`}}},
		"an operator waits for an upgrade of several steps": {newFleet([]string{"a@1.0.0", "1.0.0", "1.1.0", "2.0.0 after=1.1.0"}, []string{"b@1.0.0", "1.0.0", "2.0.0 requires=a:>=2.0.0"}), "a 1.1.0, b 1.0.0", nil},
		"one package twice":                                      {newFleet([]string{"a", "1.0.0"}, []string{"b", "1.0.0"}).with(func(n *fleet) { n.requests[1].Package = "a" }), "a 1.0.0, b nothing", map[string][]string{"b": {`provides the package "a", which PlatformOperator "a"`}}},
		"a package of a Subscription":                            {newFleet([]string{"a", "1.0.0"}).with(external("a", "Subscription ops/a")), "a nothing", map[string][]string{"a": {`while Subscription ops/a has package "a" on this cluster`}}},
		"a package of a ClusterExtension":                        {newFleet([]string{"a", "1.0.0"}).with(external("a", "ClusterExtension a")), "a nothing", map[string][]string{"a": {"while ClusterExtension a has package"}}},
		"an installed package that a Subscription has too stays": {newFleet([]string{"a@1.0.0", "1.0.0", "2.0.0"}).with(external("a", "Subscription ops/a")), "a 1.0.0", nil},
		"a kind of a Subscription": {newFleet([]string{"a", "1.0.0 provides=K"}).with(func(n *fleet) {
			n.state.Kinds = []resolve.Kind{{GVK: gvk("K"), Installer: "Subscription ops/k"}}
		}), "a nothing", map[string][]string{"a": {`provides the kind "example.com/v1, Kind=K", which Subscription ops/k provides already`}}},
		"a kind that a removed operator left": {newFleet([]string{"a", "1.0.0 provides=K"}).with(func(n *fleet) { n.state.Kinds = []resolve.Kind{{GVK: gvk("K")}} }), "a 1.0.0", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := test.in.decide()
			if outcome := outcome(got); outcome != test.want {
				t.Errorf("%s, want %s", outcome, test.want)
				for name, decision := range got {
					t.Logf("%s: %s %v %v", name, decision.Message, decision.Conflicts, decision.Notes)
				}
			}
			for operator, parts := range test.says {
				decision := got[operator]
				deprecation := decision.Message + " " + fmt.Sprint(decision.Conflicts) + " " + strings.Join(decision.Notes, " ")
				for _, part := range parts {
					if !strings.Contains(deprecation, part) {
						t.Errorf("%s: message %q does not contain %q", operator, deprecation, part)
					}
				}
			}
			for operator, decision := range got {
				if decision.Chosen == nil && decision.Reason != platformv1alpha1.ReasonValidationFailed {
					t.Errorf("%s: the reason is %q", operator, decision.Reason)
				}
			}
		})
	}
}

// Promise UPG-R4: When 20 operators cannot be installed together, all others proceed, and each refused one explains the smallest set that
// conflicts.
func TestUPG_R4_AnUnsatisfiableSetIsExplainedAndTheOthersProceed(t *testing.T) {
	// Twenty operators form a cycle in which each requires the kind of the next one. The tenth requires an old version of another operator,
	// x0, which is older and gets a newer version.
	var operators [][]string
	for i := range 20 {
		version := fmt.Sprintf("1.0.0 provides=K%d requires=K%d", i, (i+1)%20)
		if i == 10 {
			version += ",x0:<2.0.0"
		}
		operators = append(operators, []string{fmt.Sprintf("ring%02d", i), version})
	}
	for i := range 5 {
		operators = append(operators, []string{fmt.Sprintf("x%d", i), "1.0.0", "2.0.0"}, []string{fmt.Sprintf("y%d@1.0.0", i), "1.0.0", "1.1.0"})
	}
	n := newFleet(operators...)
	n.requests[20].Created = n.requests[0].Created.Add(-1) // x0 is the oldest
	got := n.decide()
	for _, req := range n.requests {
		decision := got[req.Operator]
		if !strings.HasPrefix(req.Operator, "ring") {
			if decision.Chosen == nil || decision.Target.Version.String() == "1.0.0" {
				t.Errorf("%s is not installed: %s", req.Operator, decision.Message)
			}
			if req.Operator != "x0" && len(decision.Notes)+len(decision.Conflicts) > 0 {
				t.Errorf("%s has unrelated notes %v or conflicts %v", req.Operator, decision.Notes, decision.Conflicts)
			}
			continue
		}
		if decision.Chosen != nil || decision.Reason != platformv1alpha1.ReasonValidationFailed || len(decision.Message) > reason.MaxMessage || len(decision.Conflicts) != 1 {
			t.Errorf("%s: %+v", req.Operator, decision)
		}
	}
	t.Log(got["ring10"].Message)
	if message := got["ring10"].Message; !strings.Contains(message, `1.0.0 needs package "x0" in version range "<2.0.0"`) {
		t.Errorf("message %q does not name x0 as the cause", message)
	}
	for _, part := range []string{"PlatformOperator", "needs kind"} {
		if !strings.Contains(got["ring09"].Message, part) {
			t.Errorf("message %q does not contain %q", got["ring09"].Message, part)
		}
	}
	t.Run("the explanation is minimal", func(t *testing.T) {
		n := newFleet([]string{"a", "1.0.0 provides=K,M"}, []string{"b", "1.0.0 provides=L requires=M"}, []string{"c", "1.0.0 provides=K requires=L"}, []string{"d", "1.0.0 requires=L,M"})
		got := n.decide()
		if outcome := outcome(got); outcome != "a 1.0.0, b 1.0.0, c nothing, d 1.0.0" {
			t.Fatal(outcome)
		}
		want := []resolve.Conflict{{Version: "1.0.0", With: []string{"a"}, Cause: got["c"].Conflicts[0].Cause}}
		if diff := cmp.Diff(want, got["c"].Conflicts); diff != "" || strings.Contains(want[0].Why(), `"b"`) {
			t.Errorf("b is not part of the conflict (-want +got):\n%s", diff)
		}
	})
}

func TestUpdatesNameConflictsWithOtherOperators(t *testing.T) {
	got := newFleet(
		[]string{"a@1.0.0", "1.0.0", "2.0.0 provides=K", "3.0.0 requires=b:>=2.0.0", "4.0.0 requires=L"},
		[]string{"b@1.0.0", "1.0.0 provides=K"},
		[]string{"c@1.0.0", "1.0.0 requires=b:<2.0.0"},
	).decide()
	want := map[string]platformv1alpha1.BlockedReason{"2.0.0": platformv1alpha1.BlockedConflict, "3.0.0": platformv1alpha1.BlockedRequirement, "4.0.0": platformv1alpha1.BlockedRequirement}
	for _, update := range got["a"].Updates {
		if update.Reason != want[update.Version.String()] || update.Why() == "" {
			t.Errorf("%s: %s, %q", update.Version, update.Reason, update.Why())
		}
		delete(want, update.Version.String())
	}
	if len(want) > 0 {
		t.Errorf("updates that are not listed: %v", want)
	}
}

func TestARequestedPackageWithoutVersionsIsNamed(t *testing.T) {
	n := newFleet([]string{"a", "1.0.0 requires=K"}, []string{"kay"})
	n.state.ProviderHints = everyKindBy(resolve.ProviderHint{Catalog: community, Packages: []string{"jay", "kay"}})
	if message := n.decide()["a"].Message; !strings.Contains(message, `PlatformOperator "kay", of package "kay", is to bring it: see there why it does not, or create a PlatformOperator for package "jay"`) {
		t.Errorf("message %q does not name kay and jay", message)
	}
}

func TestPrecedenceIsByCreationTimestamp(t *testing.T) {
	n := newFleet([]string{"a", "1.0.0 provides=K"}, []string{"b", "1.0.0 provides=K"})
	for i, day := range []int{2, 1} {
		operator := &platformv1alpha1.PlatformOperator{}
		operator.Name, operator.CreationTimestamp = n.requests[i].Operator, metav1.Date(2026, 1, day, 0, 0, 0, 0, time.UTC)
		operator.Spec.Package.Name = n.requests[i].Package
		request, err := resolve.RequestFor(operator, "", resolve.Cluster{Version: "4.20.0", KubeVersion: "1.33.0"})
		if err != nil {
			t.Fatal(err)
		}
		n.requests[i] = request
	}
	if got := outcome(n.decide()); got != "a nothing, b 1.0.0" {
		t.Error(got)
	}
}

func TestAnOperatorThatCannotChangeKeepsItsVersion(t *testing.T) {
	// a prefers 2.0.0, which b does not permit.
	conflicting := func() *fleet {
		return newFleet([]string{"b@1.0.0", "1.0.0 requires=a:<2.0.0"}, []string{"a@1.0.0", "1.0.0", "2.0.0"})
	}
	for name, test := range map[string]struct {
		in   *fleet
		want string
		says string
	}{
		"an approved version that conflicts": {conflicting().with(func(n *fleet) { n.requests[1].Manual, n.requests[1].Approved = true, "2.0.0" }), "a 1.0.0, b 1.0.0",
			`would break others: PlatformOperator "b" in 1.0.0 needs package "a" in version range "<2.0.0"`},
		"a version that awaits approval does not count for others": {newFleet([]string{"b", "1.0.0 requires=a:>=2.0.0"}, []string{"a@1.0.0", "1.0.0", "2.0.0"}).with(func(n *fleet) { n.requests[1].Manual = true }), "a 1.0.0, b nothing", ""},
		"an invalid spec keeps the installed version":              {conflicting().with(func(n *fleet) { n.requests[1].VersionRange = "nonsense" }), "a nothing, b 1.0.0", "is not a version range"},
		"others may require an installed version while catalogs are unavailable": {newFleet([]string{"b", "1.0.0 requires=a:>=1.0.0,K"}, []string{"a@1.0.0"}).with(func(n *fleet) {
			n.packages["a"] = nil
			n.state.Kinds = []resolve.Kind{{GVK: gvk("K"), Operator: "a"}}
		}), "a nothing, b 1.0.0", "failed to find candidate"},
		"two catalogs with different images for the best version": {conflicting().with(func(n *fleet) {
			first := n.state.Catalogs
			n.state.Catalogs = func(pkg string) []resolve.Catalog {
				if pkg != "a" {
					return first(pkg)
				}
				second := newPackage(pkg, "2.0.0")
				second.Bundles[0].Image = "registry.example/other@sha256:0"
				return append(first(pkg), resolve.Catalog{ID: cluster, Package: second})
			}
		}), "a nothing, b 1.0.0", "is ambiguous"},
		"a catalog that has not been read yet": {conflicting().with(func(n *fleet) {
			first := n.state.Catalogs
			n.state.Catalogs = func(pkg string) []resolve.Catalog {
				if pkg != "a" {
					return first(pkg)
				}
				return append(first(pkg), resolve.Catalog{ID: cluster, Err: fmt.Errorf("not read yet"), Pending: true})
			}
		}), "a nothing, b 1.0.0", "is not chosen before catalog"},
	} {
		t.Run(name, func(t *testing.T) {
			got := test.in.decide()
			if outcome := outcome(got); outcome != test.want {
				t.Errorf("%s, want %s", outcome, test.want)
			}
			if deprecation := got["a"].Message + fmt.Sprint(got["a"].Conflicts); !strings.Contains(deprecation, test.says) {
				t.Errorf("message %q does not contain %q", deprecation, test.says)
			}
		})
	}
}
