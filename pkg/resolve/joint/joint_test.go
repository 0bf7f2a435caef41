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
	// need makes an operator "a" whose only version needs this.
	alone := func(requirement catalog.Requirement) *fleet {
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
	// manifest gives the newest version of "a" a ClusterServiceVersion with this in its spec.
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
			[]string{"1.0.0 brings aggregated APIs (apiServiceDefinitions)", "not supported"}},
		"one that is needed is none that is brought":     {newFleet([]string{"a", "1.0.0"}).with(manifest(`"apiservicedefinitions":{"required":[{"group":"g","version":"v1","kind":"K"}]}`)), "1.0.0", nil},
		"a version without an APIService is taken":       {newFleet([]string{"a", "0.1.0", "1.0.0"}).with(manifest(`"apiservicedefinitions":{"owned":[{"kind":"K"}]}`)), "0.1.0", nil},
		"one that must be told what to watch":            {newFleet([]string{"a", "1.0.0 mode=SingleNamespace"}), refused, []string{"spec.install.config.watchNamespace"}},
		"one that is told":                               {newFleet([]string{"a", "1.0.0 mode=SingleNamespace"}).with(watching("b")), "1.0.0", nil},
		"one that cannot watch what it is told to":       {newFleet([]string{"a", "1.0.0 mode=AllNamespaces"}).with(watching("b")), refused, []string{"does not support the install mode SingleNamespace"}},
		"a kind that the cluster serves":                 {alone(need("K")).with(served(resolve.Kind{GVK: gvk("K")})), "1.0.0", nil},
		"a kind that a Subscription brought":             {alone(need("K")).with(served(resolve.Kind{GVK: gvk("K"), Installer: "Subscription ops/k"})), "1.0.0", nil},
		"a kind that it brings itself":                   {newFleet([]string{"a", "1.0.0 brings=K needs=K"}), "1.0.0", nil},
		"a kind of the same name in another version":     {alone(need("K")).with(served(resolve.Kind{GVK: catalog.GVK{Group: "example.com", Version: "v2", Kind: "K"}})), refused, []string{`needs kind "example.com/v1, Kind=K"`}},
		"a kind that nothing brings, and nobody could":   {alone(need("K")), refused, []string{`needs kind "example.com/v1, Kind=K": nothing on the cluster brings it; no package that is known here provides it`}},
		"a kind that a package of the catalogs could":    {alone(need("K")).with(provided("kay")), refused, []string{`create a PlatformOperator for package "kay"`}},
		"a kind that several packages could":             {alone(need("K")).with(provided("kay", "jay")), refused, []string{`for one of the packages "jay", "kay"`}},
		"a package that a Subscription has":              {alone(need("b:>=1.0.0")).with(installed("b", "1.2.0")), "1.0.0", nil},
		"a package that it has in another version":       {alone(need("b:>=2.0.0")).with(installed("b", "1.2.0")), refused, []string{`needs package "b" in ">=2.0.0": Subscription ops/b has it at version "1.2.0"; move that`}},
		"a package of which the version is not known":    {alone(need("b:>=2.0.0")).with(installed("b", "")), refused, []string{`has it at version ""`}},
		"a package in any version":                       {alone(need("b:")).with(installed("b", "")), "1.0.0", nil},
		"a package that nobody has asked for":            {alone(need("b:>=2.0.0")), refused, []string{`create a PlatformOperator for package "b"`}},
		"a range that cannot be read":                    {alone(need("b:later")).with(installed("b", "1.0.0")), refused, []string{`"later" is not a version range`}},
		"nor can the opposite of it be known":            {alone(not(need("b:later"))).with(installed("b", "1.0.0")), refused, []string{`"later" is not a version range`}},
		"an installed operator's package":                {newFleet([]string{"b@2.0.0", "2.0.0"}, []string{"a", "1.0.0 needs=b:>=2.0.0"}), "1.0.0", nil},
		"one that no catalog has any more":               {newFleet([]string{"b@2.0.0", "1.0.0"}, []string{"a", "1.0.0 needs=b:>=2.0.0"}), "1.0.0", nil},
		"an installed operator's kind":                   {newFleet([]string{"b@2.0.0", "2.0.0 brings=K"}, []string{"a", "1.0.0 needs=K"}), "1.0.0", nil},
		"one that the cluster serves and no catalog has": {newFleet([]string{"b@2.0.0", "1.0.0"}, []string{"a", "1.0.0 needs=K"}).with(served(resolve.Kind{GVK: gvk("K"), Operator: "b"})), "1.0.0", nil},
		"an operator without a version that would do":    {newFleet([]string{"b@1.0.0", "1.0.0"}, []string{"a", "1.0.0 needs=b:>=2.0.0"}), refused, []string{`PlatformOperator "b", which is of that package, has no such version`}},
		"all of two, one missing": {alone(all(need("K"), need("L"))).with(served(resolve.Kind{GVK: gvk("K")})), refused,
			[]string{`needs all of (kind "example.com/v1, Kind=K"; kind "example.com/v1, Kind=L")`, `Kind=K": it is there already`, `Kind=L": nothing on the cluster brings it`}},
		"all of two":                           {alone(all(need("K"), need("L"))).with(served(resolve.Kind{GVK: gvk("K")})).with(served(resolve.Kind{GVK: gvk("L")})), "1.0.0", nil},
		"any of two, one there":                {alone(any(need("K"), need("b:>=1.0.0"))).with(served(resolve.Kind{GVK: gvk("K")})), "1.0.0", nil},
		"any of two, none there":               {alone(any(need("K"), need("b:>=1.0.0"))), refused, []string{"needs any of (", `create a PlatformOperator for package "b"`}},
		"none of two, none there":              {alone(not(need("K"), need("L"))), "1.0.0", nil},
		"none of two, one there":               {alone(not(need("K"), need("L"))).with(served(resolve.Kind{GVK: gvk("L")})), refused, []string{"needs none of (", `Kind=L": it is there already`}},
		"not all of two, one there":            {alone(not(all(need("K"), need("L")))).with(served(resolve.Kind{GVK: gvk("K")})), "1.0.0", nil},
		"not any of two, one there":            {alone(not(any(need("K"), need("L")))).with(served(resolve.Kind{GVK: gvk("K")})), refused, nil},
		"what cannot be judged":                {alone(cel), refused, []string{"needs a CEL rule in an olm.constraint: this cannot be judged here"}},
		"nor can its opposite":                 {alone(not(cel)), refused, []string{"this cannot be judged here"}},
		"beside something that is met":         {alone(any(cel, need("K"))).with(served(resolve.Kind{GVK: gvk("K")})), "1.0.0", nil},
		"its author's words are told":          {alone(catalog.Requirement{Any: []catalog.Requirement{need("K")}, Message: "install K first"}), refused, []string{`(its author: "install K first")`}},
		"what is installed stays for all that": {newFleet([]string{"a@1.0.0", "1.0.0 needs=K"}).with(manifest(`"apiservicedefinitions":{"owned":[{"kind":"K"}]}`)), "1.0.0", nil},
		"and does not move to more of it":      {newFleet([]string{"a@1.0.0", "1.0.0 needs=K", "1.1.0 needs=K"}), "1.0.0", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := test.in.decide()
			if outcome := outcome(map[string]resolve.Decision{"a": got["a"]}); outcome != "a "+test.want {
				t.Errorf("%s, want %s: %s", outcome, test.want, got["a"].Message)
			}
			for _, part := range test.says {
				if !strings.Contains(got["a"].Message, part) {
					t.Errorf("%q does not say %q", got["a"].Message, part)
				}
			}
			if test.want == refused && got["a"].Reason != platformv1alpha1.ReasonValidationFailed {
				t.Errorf("reason %q", got["a"].Reason)
			}
		})
	}
}

// Promise UPG-R3: Operators that need the kinds of one another are installed together. When two provide one kind, both name the conflict;
// a package of a Subscription or ClusterExtension is refused with that object named.
func TestUPG_R3_InterdependentOperators(t *testing.T) {
	foreign := func(pkg, installer string) func(*fleet) {
		return func(n *fleet) {
			n.state.ExternalPackages = append(n.state.ExternalPackages, resolve.ExternalPackage{Package: pkg, Version: "1.0.0", Installer: installer})
		}
	}
	for name, test := range map[string]struct {
		in   *fleet
		want string
		// says has what is told on which operator: in its message, in its conflicts, in its notes.
		says map[string][]string
	}{
		"each brings what the other needs": {newFleet([]string{"a", "1.0.0 brings=A needs=B"}, []string{"b", "1.0.0 brings=B needs=A"}), "a 1.0.0, b 1.0.0", nil},
		"three in a ring":                  {newFleet([]string{"a", "1.0.0 brings=A needs=B"}, []string{"b", "1.0.0 brings=B needs=C"}, []string{"c", "1.0.0 brings=C needs=A"}), "a 1.0.0, b 1.0.0, c 1.0.0", nil},
		"the older one's best comes first": {newFleet([]string{"a", "1.0.0", "2.0.0 needs=b:<2.0.0"}, []string{"b", "1.0.0", "2.0.0"}), "a 2.0.0, b 1.0.0",
			map[string][]string{"b": {`needs package "b" in "<2.0.0"`, `PlatformOperator "a"`}, "a": {`PlatformOperator "b" does without 2.0.0`}}},
		"an older one gives way to nobody": {newFleet([]string{"b", "1.0.0", "2.0.0"}, []string{"a", "1.0.0", "2.0.0 needs=b:<2.0.0"}), "a 1.0.0, b 2.0.0",
			map[string][]string{"a": {`needs package "b" in "<2.0.0"`, `PlatformOperator "b" gets 2.0.0`, `spec.package.version of "b"`}, "b": {`PlatformOperator "a" does without 2.0.0`}}},
		"a version that would do is not in the other's range": {newFleet([]string{"b", "1.0.0", "2.0.0"}, []string{"a", "1.0.0 needs=b:>=2.0.0"}).with(func(n *fleet) { n.requests[0].VersionRange = "1.x" }), "a nothing, b 1.0.0",
			map[string][]string{"a": {`needs package "b" in ">=2.0.0" (PlatformOperator "b" does not have that in what it can have, 1.0.0)`, `permit such a version by spec.package.version of "b"`}}},
		"two bring one kind: the older one proceeds": {newFleet([]string{"a", "1.0.0 brings=K"}, []string{"b", "1.0.0 brings=K"}), "a 1.0.0, b nothing",
			map[string][]string{"b": {`brings the kind "example.com/v1, Kind=K", which PlatformOperator "a" (package "a") brings too`, "delete one of these PlatformOperators"}, "a": {`PlatformOperator "b" does without 1.0.0`}}},
		"the one that is installed proceeds": {newFleet([]string{"a", "1.0.0 brings=K"}, []string{"b@1.0.0", "1.0.0 brings=K"}), "a nothing, b 1.0.0",
			map[string][]string{"a": {`brings the kind`, `PlatformOperator "b"`}, "b": {`PlatformOperator "a" does without 1.0.0`}}},
		"its kind is taken until it is gone": {newFleet([]string{"a", "1.0.0 brings=K"}, []string{"b@1.0.0", "1.0.0 brings=K", "2.0.0"}), "a nothing, b 2.0.0",
			map[string][]string{"a": {`PlatformOperator "b"`}}},
		"and free when it is":                {newFleet([]string{"a", "1.0.0 brings=K"}, []string{"b@2.0.0", "1.0.0 brings=K", "2.0.0"}), "a 1.0.0, b 2.0.0", nil},
		"the newest that brings it not":      {newFleet([]string{"a", "1.0.0 brings=K"}, []string{"b", "1.0.0", "2.0.0 brings=K"}), "a 1.0.0, b 1.0.0", map[string][]string{"b": {"brings the kind"}}},
		"two that have it both move on":      {newFleet([]string{"a@1.0.0", "1.0.0 brings=K", "1.1.0 brings=K"}, []string{"b@1.0.0", "1.0.0 brings=K", "1.1.0 brings=K"}), "a 1.1.0, b 1.1.0", nil},
		"nobody is deprived of what it runs": {newFleet([]string{"a@1.0.0", "1.0.0 brings=K", "2.0.0"}, []string{"b@1.0.0", "1.0.0 needs=K"}), "a 1.0.0, b 1.0.0", map[string][]string{"a": {`PlatformOperator "b" in 1.0.0 needs kind`}, "b": {`PlatformOperator "a" does without 2.0.0`}}},
		"both move when both can":            {newFleet([]string{"a@1.0.0", "1.0.0 brings=K", "2.0.0"}, []string{"b@1.0.0", "1.0.0 needs=K", "2.0.0"}), "a 2.0.0, b 2.0.0", nil},
		"what is broken already stays":       {newFleet([]string{"a@1.0.0", "1.0.0", "2.0.0"}, []string{"b@1.0.0", "1.0.0 needs=K"}), "a 2.0.0, b 1.0.0", nil},
		"the first hop has to fit, too": {newFleet([]string{"a@1.0.0", "1.0.0", "1.1.0 needs=b:<2.0.0", "2.0.0 after=1.1.0"}, []string{"b@2.0.0", "1.0.0", "2.0.0"}).with(func(n *fleet) {
			n.requests[0].VersionRange = ">=2.0.0"
		}), "a nothing, b 2.0.0", map[string][]string{"a": {`2.0.0 needs package "b" in "<2.0.0"`}}},
		"what is on its way there is waited for": {newFleet([]string{"a@1.0.0", "1.0.0", "1.1.0", "2.0.0 after=1.1.0"}, []string{"b@1.0.0", "1.0.0", "2.0.0 needs=a:>=2.0.0"}), "a 1.1.0, b 1.0.0", nil},
		"one package twice":                      {newFleet([]string{"a", "1.0.0"}, []string{"b", "1.0.0"}).with(func(n *fleet) { n.requests[1].Package = "a" }), "a 1.0.0, b nothing", map[string][]string{"b": {`brings the package "a", which PlatformOperator "a"`}}},
		"a package of a Subscription":            {newFleet([]string{"a", "1.0.0"}).with(foreign("a", "Subscription ops/a")), "a nothing", map[string][]string{"a": {`while Subscription ops/a has package "a" on this cluster`}}},
		"a package of a ClusterExtension":        {newFleet([]string{"a", "1.0.0"}).with(foreign("a", "ClusterExtension a")), "a nothing", map[string][]string{"a": {"while ClusterExtension a has package"}}},
		"a package that both have stays":         {newFleet([]string{"a@1.0.0", "1.0.0", "2.0.0"}).with(foreign("a", "Subscription ops/a")), "a 1.0.0", nil},
		"a kind of a Subscription": {newFleet([]string{"a", "1.0.0 brings=K"}).with(func(n *fleet) {
			n.state.Kinds = []resolve.Kind{{GVK: gvk("K"), Installer: "Subscription ops/k"}}
		}), "a nothing", map[string][]string{"a": {`brings the kind "example.com/v1, Kind=K", which Subscription ops/k has brought already`}}},
		"a kind that was left behind is brought again": {newFleet([]string{"a", "1.0.0 brings=K"}).with(func(n *fleet) { n.state.Kinds = []resolve.Kind{{GVK: gvk("K")}} }), "a 1.0.0", nil},
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
						t.Errorf("%s: %q does not say %q", operator, deprecation, part)
					}
				}
			}
			for operator, decision := range got {
				if decision.Chosen == nil && decision.Reason != platformv1alpha1.ReasonValidationFailed {
					t.Errorf("%s: reason %q", operator, decision.Reason)
				}
			}
		})
	}
}

// Promise UPG-R4: When 20 operators cannot be installed together, all others proceed, and each refused one explains the smallest set that
// conflicts.
func TestUPG_R4_AnUnsatisfiableSetIsExplainedAndTheOthersProceed(t *testing.T) {
	// Twenty operators in a row, each of which needs the kind of the next, the last one of the first: a
	// ring; the tenth needs an old version of another one, which comes first and gets a newer one.
	var operators [][]string
	for i := range 20 {
		version := fmt.Sprintf("1.0.0 brings=K%d needs=K%d", i, (i+1)%20)
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
				t.Errorf("%s does not proceed: %s", req.Operator, decision.Message)
			}
			if req.Operator != "x0" && len(decision.Notes)+len(decision.Conflicts) > 0 {
				t.Errorf("%s is told of what is none of its business: %v %v", req.Operator, decision.Notes, decision.Conflicts)
			}
			continue
		}
		if decision.Chosen != nil || decision.Reason != platformv1alpha1.ReasonValidationFailed || len(decision.Message) > reason.MaxMessage || len(decision.Conflicts) != 1 {
			t.Errorf("%s: %+v", req.Operator, decision)
		}
	}
	t.Log(got["ring10"].Message)
	if message := got["ring10"].Message; !strings.Contains(message, `1.0.0 needs package "x0" in "<2.0.0"`) {
		t.Errorf("%q does not say that it is x0 that is in the way", message)
	}
	for _, part := range []string{"PlatformOperator", "needs kind"} {
		if !strings.Contains(got["ring09"].Message, part) {
			t.Errorf("%q does not say %q", got["ring09"].Message, part)
		}
	}
	t.Run("the set is the smallest", func(t *testing.T) {
		n := newFleet([]string{"a", "1.0.0 brings=K,M"}, []string{"b", "1.0.0 brings=L needs=M"}, []string{"c", "1.0.0 brings=K needs=L"}, []string{"d", "1.0.0 needs=L,M"})
		got := n.decide()
		if outcome := outcome(got); outcome != "a 1.0.0, b 1.0.0, c nothing, d 1.0.0" {
			t.Fatal(outcome)
		}
		want := []resolve.Conflict{{Version: "1.0.0", With: []string{"a"}, Cause: got["c"].Conflicts[0].Cause}}
		if diff := cmp.Diff(want, got["c"].Conflicts); diff != "" || strings.Contains(want[0].Why(), `"b"`) {
			t.Errorf("b has nothing to do with it (-want +got):\n%s", diff)
		}
	})
}

func TestUpdatesNameConflictsWithOtherOperators(t *testing.T) {
	got := newFleet(
		[]string{"a@1.0.0", "1.0.0", "2.0.0 brings=K", "3.0.0 needs=b:>=2.0.0", "4.0.0 needs=L"},
		[]string{"b@1.0.0", "1.0.0 brings=K"},
		[]string{"c@1.0.0", "1.0.0 needs=b:<2.0.0"},
	).decide()
	want := map[string]platformv1alpha1.BlockedReason{"2.0.0": platformv1alpha1.BlockedConflict, "3.0.0": platformv1alpha1.BlockedRequirement, "4.0.0": platformv1alpha1.BlockedRequirement}
	for _, update := range got["a"].Updates {
		if update.Reason != want[update.Version.String()] || update.Why() == "" {
			t.Errorf("%s: %s, %q", update.Version, update.Reason, update.Why())
		}
		delete(want, update.Version.String())
	}
	if len(want) > 0 {
		t.Errorf("not listed: %v", want)
	}
}

func TestARequestedPackageWithoutVersionsIsNamed(t *testing.T) {
	n := newFleet([]string{"a", "1.0.0 needs=K"}, []string{"kay"})
	n.state.ProviderHints = everyKindBy(resolve.ProviderHint{Catalog: community, Packages: []string{"jay", "kay"}})
	if message := n.decide()["a"].Message; !strings.Contains(message, `PlatformOperator "kay", of package "kay", is to bring it: see there why it does not, or create a PlatformOperator for package "jay"`) {
		t.Errorf("%q sends nobody to kay and jay", message)
	}
}

func TestTheOlderOperatorIsTheOneThatWasCreatedFirst(t *testing.T) {
	n := newFleet([]string{"a", "1.0.0 brings=K"}, []string{"b", "1.0.0 brings=K"})
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

func TestWhatCannotBeDecidedAloneIsNotDecidedTogether(t *testing.T) {
	// a would rather run 2.0.0, which b cannot do with.
	conflicting := func() *fleet {
		return newFleet([]string{"b@1.0.0", "1.0.0 needs=a:<2.0.0"}, []string{"a@1.0.0", "1.0.0", "2.0.0"})
	}
	for name, test := range map[string]struct {
		in   *fleet
		want string
		says string
	}{
		"what is approved and cannot be had together": {conflicting().with(func(n *fleet) { n.requests[1].Manual, n.requests[1].Approved = true, "2.0.0" }), "a 1.0.0, b 1.0.0",
			`would break others: PlatformOperator "b" in 1.0.0 needs package "a" in "<2.0.0"`},
		"what waits for approval does not count for others":  {newFleet([]string{"b", "1.0.0 needs=a:>=2.0.0"}, []string{"a@1.0.0", "1.0.0", "2.0.0"}).with(func(n *fleet) { n.requests[1].Manual = true }), "a 1.0.0, b nothing", ""},
		"a spec that cannot be read keeps what is installed": {conflicting().with(func(n *fleet) { n.requests[1].VersionRange = "nonsense" }), "a nothing, b 1.0.0", "is not a version range"},
		"others rely on what is installed where the catalogs are down": {newFleet([]string{"b", "1.0.0 needs=a:>=1.0.0,K"}, []string{"a@1.0.0"}).with(func(n *fleet) {
			n.packages["a"] = nil
			n.state.Kinds = []resolve.Kind{{GVK: gvk("K"), Operator: "a"}}
		}), "a nothing, b 1.0.0", "failed to find candidate"},
		"two catalogs that disagree on the best version": {conflicting().with(func(n *fleet) {
			first := n.state.Catalogs
			n.state.Catalogs = func(pkg string) []resolve.Catalog {
				if pkg != "a" {
					return first(pkg)
				}
				second := madeOf(pkg, "2.0.0")
				second.Bundles[0].Image = "registry.example/other@sha256:0"
				return append(first(pkg), resolve.Catalog{ID: cluster, Package: second})
			}
		}), "a nothing, b 1.0.0", "is ambiguous"},
		"a catalog that is about to be read": {conflicting().with(func(n *fleet) {
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
				t.Errorf("%q does not say %q", deprecation, test.says)
			}
		})
	}
}
