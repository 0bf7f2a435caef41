package platformoperator

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
)

func TestHintsAreStaleWhenTheProvidersChange(t *testing.T) {
	bread, cake := catalog.GVK{Version: "v1", Kind: "Bread"}, catalog.GVK{Version: "v1", Kind: "Cake"}
	known := map[catalog.GVK][]resolve.ProviderHint{}
	now := func(gvk catalog.GVK) []resolve.ProviderHint { return known[gvk] }
	by := func(packages ...string) []resolve.ProviderHint { return []resolve.ProviderHint{{Packages: packages}} }
	with := func(kinds ...catalog.GVK) map[catalog.GVK][]resolve.ProviderHint {
		out := map[catalog.GVK][]resolve.ProviderHint{}
		for _, gvk := range kinds {
			out[gvk] = known[gvk]
		}
		return out
	}
	var hints providerHints
	for _, step := range []struct {
		name string
		do   func()
		want []string
	}{
		{"there are no hints", func() { known[bread] = by("baker") }, nil},
		{"nothing has changed", func() {
			hints.set("hungry", with(bread))
			hints.set("sweet", with(cake))
			hints.set("both", with(bread, cake))
		}, nil},
		{"another package provides bread, too", func() { known[bread] = by("baker", "grocer") }, []string{"both", "hungry"}},
		{"one of them was updated", func() { hints.set("both", with(bread, cake)) }, []string{"hungry"}},
		{"it is as before", func() { known[bread] = by("baker") }, []string{"both"}},
		{"a package provides cake", func() { known[cake] = by("grocer") }, []string{"both", "sweet"}},
		{"one that lacks nothing any more has no hints", func() { hints.set("both", nil) }, []string{"sweet"}},
		{"the catalog has other labels, by which it may be chosen", func() {
			hints.set("sweet", with(cake))
			known[cake] = []resolve.ProviderHint{{Packages: []string{"grocer"}, Labels: map[string]string{"tier": "one"}}}
		}, []string{"sweet"}},
	} {
		step.do()
		if diff := cmp.Diff(step.want, hints.stale(now)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
	if got := hints.stale(now, "hungry"); got != nil {
		t.Errorf("%q, of one whose hints are right", got)
	}
}

// needy is a catalog whose only version of package "op" requires bread. answers are the providers of bread, one entry for each call.
type needy struct {
	oneCatalog
	bread   catalog.GVK
	answers [][]string
	calls   int
}

func (*needy) Unlisted() []string { return nil }

func (n *needy) For(pkg string) []resolve.Catalog {
	views := n.oneCatalog.For(pkg)
	views[0].Package.Bundles[0].Requirements = []catalog.Requirement{{GVK: &n.bread}}
	return views
}

func (n *needy) Providers(catalog.GVK) []resolve.ProviderHint {
	n.calls++
	return []resolve.ProviderHint{{Packages: n.answers[min(n.calls, len(n.answers))-1]}}
}

func TestProvidersMayChangeDuringASync(t *testing.T) {
	for name, test := range map[string]struct {
		answers [][]string
		queued  int
	}{
		"it stays":   {[][]string{{"baker"}}, 0},
		"it changes": {[][]string{{"baker"}, {"baker", "grocer"}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			operator := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: "op", Finalizers: []string{platformv1alpha1.Finalizer}}}
			operator.Spec.Package.Name = "op"
			c := &cluster{operator: operator}
			c.sync(t, &needy{oneCatalog: oneCatalog{"1.0.0"}, bread: catalog.GVK{Version: "v1", Kind: "Bread"}, answers: test.answers})
			if c.queued != test.queued {
				t.Errorf("%d operators are synced again, want %d", c.queued, test.queued)
			}
			installed := meta.FindStatusCondition(c.operator.Status.Conditions, platformv1alpha1.ConditionInstalled)
			if installed == nil || !strings.Contains(installed.Message, `create a PlatformOperator for package "baker"`) {
				t.Errorf("Installed is %+v", installed)
			}
		})
	}
}
