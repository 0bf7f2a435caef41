package joint

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
)

func TestProvidersOfAMissingKindAreNamed(t *testing.T) {
	red := catalog.ID{Kind: catalog.KindCatalogSource, Namespace: "ns", Name: "red"}
	in := func(id catalog.ID, packages ...string) resolve.ProviderHint {
		return resolve.ProviderHint{Catalog: id, Packages: packages}
	}
	selector := func(text string) labels.Selector {
		parsed, err := labels.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	var many []string
	for i := range 12 {
		many = append(many, fmt.Sprintf("p%02d", i))
	}
	for name, test := range map[string]struct {
		versions  []string
		providers []resolve.ProviderHint
		ask       func(*resolve.Request)
		says      string
		not       string
	}{
		"no package": {says: "no package that is known here provides it: install one that does"},
		"one package of several catalogs": {providers: []resolve.ProviderHint{in(community, "kay"), in(red, "kay")},
			says: `provides it; create a PlatformOperator for package "kay"`},
		"several, sorted over all catalogs": {providers: []resolve.ProviderHint{in(community, "kay", "ray"), in(red, "jay")},
			says: `create a PlatformOperator for one of the packages "jay", "kay", "ray"`},
		"many":        {providers: []resolve.ProviderHint{in(community, many...)}, says: `"p00", "p01", "p02", "p03", "p04", and 7 more`, not: "p05"},
		"a long name": {providers: []resolve.ProviderHint{in(community, strings.Repeat("long", 100))}, says: `l…"`, not: strings.Repeat("long", 20)},
		"a catalog that the operator's selector leaves out: another operator's selector may match it": {
			providers: []resolve.ProviderHint{in(community, "kay"), in(red, "jay")},
			ask:       func(r *resolve.Request) { r.Selector = selector("platform.openshift.io/catalog-name=community") },
			says:      `one of the packages "jay", "kay"`},
		"a catalog that the manager's selector leaves out: no operator can use it": {
			providers: []resolve.ProviderHint{in(community, "kay"), in(red, "jay")},
			ask:       func(r *resolve.Request) { r.ManagerSelector = selector("platform.openshift.io/catalog-name=community") },
			says:      `for package "kay"`, not: "jay"},
		"a package that the manager does not allow, beside one that it does": {providers: []resolve.ProviderHint{in(community, "jay", "kay")},
			ask: func(r *resolve.Request) { r.Allowed = []string{"a", "k*"} }, says: `for package "kay"`, not: "jay"},
		"packages that the manager does not allow": {providers: []resolve.ProviderHint{in(community, "jay", "kay")},
			ask:  func(r *resolve.Request) { r.Allowed = []string{"a"} },
			says: `what provides it is not in spec.allowedPackages of PlatformOperatorManager "cluster": add one of "jay", "kay" there`},
		"only the package itself": {providers: []resolve.ProviderHint{in(community, "a")},
			says: `only "a" itself provides it, in other versions`, not: "create"},
		"the package itself and another": {providers: []resolve.ProviderHint{in(community, "a", "kay")}, says: `for package "kay"`, not: `"a" itself`},
		"no package, and catalogs that are partly read": {providers: []resolve.ProviderHint{{Catalog: red, Partial: true}, {Catalog: community, Partial: true}},
			says: "no package that is known here provides it (not everything is known of CatalogSource/ns/red, " + community.String() + "): install"},
		"a package, in a catalog that is partly read": {providers: []resolve.ProviderHint{{Catalog: red, Packages: []string{"kay"}, Partial: true}}, says: `for package "kay"`, not: "not everything"},
	} {
		t.Run(name, func(t *testing.T) {
			n := newFleet([]string{"a", "1.0.0 requires=K"})
			n.state.ProviderHints = everyKindBy(test.providers...)
			if test.ask != nil {
				test.ask(&n.requests[0])
			}
			message := n.decide()["a"].Message
			if !strings.Contains(message, test.says) {
				t.Errorf("message %q does not contain %q", message, test.says)
			}
			if test.not != "" && strings.Contains(message, test.not) {
				t.Errorf("message %q contains %q", message, test.not)
			}
			slices.Reverse(test.providers)
			if again := n.decide()["a"].Message; again != message {
				t.Errorf("with the catalogs in another order, the message is %q, want %q", again, message)
			}
		})
	}
}

func TestMissingKinds(t *testing.T) {
	var needs []string
	for i := range 100 {
		needs = append(needs, fmt.Sprintf("1.0.%d requires=K%03d", i, i))
	}
	for name, test := range map[string]struct {
		in   *fleet
		want map[string][]string
	}{
		"a missing kind":                        {newFleet([]string{"a", "1.0.0 requires=L,K"}), map[string][]string{"a": {"K"}}}, // the first unmet requirement is reported
		"missing kinds of every version":        {newFleet([]string{"a", "1.0.0 requires=L", "1.1.0 requires=K", "1.2.0"}), map[string][]string{"a": {"K", "L"}}},
		"a kind of another operator":            {newFleet([]string{"a", "1.0.0 requires=K"}, []string{"k", "1.0.0 provides=K"}), nil},
		"a kind of the bundle itself":           {newFleet([]string{"a", "1.0.0 requires=K provides=K"}), nil},
		"a kind that a required operator lacks": {newFleet([]string{"a", "1.0.0 requires=b:"}, []string{"b", "1.0.0 requires=K"}), map[string][]string{"b": {"K"}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := map[string][]string{}
			test.in.state.ProviderHints = everyKindBy()
			for operator, decision := range test.in.decide() {
				for _, gvk := range decision.MissingKinds {
					got[operator] = append(got[operator], gvk.Kind)
				}
			}
			if test.want == nil {
				test.want = map[string][]string{}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("at most MaxMissingKinds, with one call of ProviderHints for each", func(t *testing.T) {
		n, asked := newFleet(append([]string{"a"}, needs...), append([]string{"b"}, needs...)), map[catalog.GVK]int{}
		n.state.ProviderHints = func(gvk catalog.GVK) []resolve.ProviderHint { asked[gvk]++; return nil }
		for operator, decision := range n.decide() {
			if len(decision.MissingKinds) != resolve.MaxMissingKinds || !slices.IsSortedFunc(decision.MissingKinds, catalog.GVK.Compare) {
				t.Errorf("%s has %d missing kinds", operator, len(decision.MissingKinds))
			}
		}
		for gvk, times := range asked {
			if times != 1 {
				t.Errorf("ProviderHints was called %[2]d times for %[1]s", gvk, times)
			}
		}
	})
}
