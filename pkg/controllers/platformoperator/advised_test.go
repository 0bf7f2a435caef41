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

func TestOnlyWhoLacksAKindHearsOfWhoBringsIt(t *testing.T) {
	bread, cake := catalog.GVK{Version: "v1", Kind: "Bread"}, catalog.GVK{Version: "v1", Kind: "Cake"}
	known := map[catalog.GVK][]resolve.Providers{}
	now := func(gvk catalog.GVK) []resolve.Providers { return known[gvk] }
	by := func(packages ...string) []resolve.Providers { return []resolve.Providers{{Packages: packages}} }
	said := func(kinds ...catalog.GVK) map[catalog.GVK][]resolve.Providers {
		out := map[catalog.GVK][]resolve.Providers{}
		for _, gvk := range kinds {
			out[gvk] = known[gvk]
		}
		return out
	}
	var memory advised
	for _, step := range []struct {
		says string
		do   func()
		want []string
	}{
		{"nobody was told anything", func() { known[bread] = by("baker") }, nil},
		{"nothing has changed", func() {
			memory.set("hungry", said(bread))
			memory.set("sweet", said(cake))
			memory.set("both", said(bread, cake))
		}, nil},
		{"another package brings bread, too", func() { known[bread] = by("baker", "grocer") }, []string{"both", "hungry"}},
		{"one of them was told", func() { memory.set("both", said(bread, cake)) }, []string{"hungry"}},
		{"it is as it was told", func() { known[bread] = by("baker") }, []string{"both"}},
		{"somebody brings cake", func() { known[cake] = by("grocer") }, []string{"both", "sweet"}},
		{"who lacks nothing any more hears nothing", func() { memory.set("both", nil) }, []string{"sweet"}},
		{"the catalog has other labels, by which it may be chosen", func() {
			memory.set("sweet", said(cake))
			known[cake] = []resolve.Providers{{Packages: []string{"grocer"}, Labels: map[string]string{"tier": "one"}}}
		}, []string{"sweet"}},
	} {
		step.do()
		if diff := cmp.Diff(step.want, memory.stale(now)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.says, diff)
		}
	}
	if got := memory.stale(now, "hungry"); got != nil {
		t.Errorf("%q, of one that was told right", got)
	}
}

// needy are catalogs whose only version of package "op" requires bread; who brings that is asked again and again.
type needy struct {
	oneCatalog
	bread   catalog.GVK
	answers [][]string
	asked   int
}

func (*needy) Unlisted() []string { return nil }

func (n *needy) For(pkg string) []resolve.Catalog {
	views := n.oneCatalog.For(pkg)
	views[0].Package.Bundles[0].Requirements = []catalog.Requirement{{GVK: &n.bread}}
	return views
}

func (n *needy) Providers(catalog.GVK) []resolve.Providers {
	n.asked++
	return []resolve.Providers{{Packages: n.answers[min(n.asked, len(n.answers))-1]}}
}

func TestWhoBringsAKindMayChangeWhileItIsTold(t *testing.T) {
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
				t.Errorf("%d operators look again, want %d", c.queued, test.queued)
			}
			installed := meta.FindStatusCondition(c.operator.Status.Conditions, platformv1alpha1.ConditionInstalled)
			if installed == nil || !strings.Contains(installed.Message, `create a PlatformOperator for package "baker"`) {
				t.Errorf("it says %+v", installed)
			}
		})
	}
}
