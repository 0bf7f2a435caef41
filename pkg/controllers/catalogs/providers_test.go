package catalogs

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/openshift/platform-operators/pkg/catalog"
)

var (
	bread = catalog.GVK{Group: "g", Version: "v1", Kind: "Bread"}
	green = catalog.ID{Kind: catalog.KindClusterCatalog, Name: "green"}
)

// providersFixture is a fixture with ClusterCatalogs. A read of wanted packages does not return the provided kinds. Package "hungry"
// requires the kind bread.
type providersFixture struct {
	*fixture
	// passes are the endpoints of the reads of provided kinds. provides is the package that provides bread in their results.
	passes   []string
	provides string
	// failing is the error of a read of provided kinds. modified is the modification time in its result.
	failing  error
	modified string
	// changes are the catalogs for which providerChanges has notified.
	changes []string
	// whole makes every read return the provided kinds.
	whole bool
	// during is called during a read of provided kinds; nil for none.
	during func()
}

func newProvidersFixture(t *testing.T, packages ...string) *providersFixture {
	t.Helper()
	p := &providersFixture{fixture: newFixture(t, packages...), provides: "grocer"}
	p.content = func(name string) catalog.Package {
		bundle := catalog.Bundle{Name: name + ".v1.0.0"}
		switch name {
		case "hungry":
			bundle.Requirements = []catalog.Requirement{{GVK: &bread}}
		case "baker":
			bundle.ProvidedGVKs = []catalog.GVK{bread}
		}
		return catalog.Package{Name: name, Bundles: []catalog.Bundle{bundle}}
	}
	source := p.sources[catalog.KindClusterCatalog]
	read := source.read
	source.read = func(ctx context.Context, request Request) (Result, error) {
		var builder catalog.ProvidersBuilder
		builder.Add(p.provides, bread)
		if !request.OnlyProviders {
			answer, err := read(ctx, request)
			if p.whole {
				answer.Providers = builder.Build()
			}
			return answer, err
		}
		p.passes = append(p.passes, request.Endpoint)
		if p.during != nil {
			p.during()
		}
		return Result{Providers: builder.Build(), Modified: p.modified}, p.failing
	}
	if _, err := p.providerChanges.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(object any) {
		p.changes = append(p.changes, object.(*metav1.PartialObjectMetadata).Name)
	}}); err != nil {
		t.Fatal(err)
	}
	return p
}

// serve stores a ClusterCatalog whose content has this digest; empty for content without a digest.
func (p *providersFixture) serve(t *testing.T, name, digest string) {
	t.Helper()
	if err := p.sources[catalog.KindClusterCatalog].informer.GetStore().Add(object(t, fmt.Sprintf(`
metadata: {name: %s, uid: u}
status: {urls: {base: "https://%s"}, resolvedSource: {image: {ref: %q}}, conditions: [{type: Serving, status: "True"}]}`, name, name, digest))); err != nil {
		t.Fatal(err)
	}
}

// settle syncs each catalog twice, because it is queued again after its read, and then syncs providersKey several times.
func (p *providersFixture) settle(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		p.runKey(t, "ClusterCatalog/"+name)
		p.runKey(t, "ClusterCatalog/"+name)
	}
	for range 2 + len(names) {
		p.runKey(t, providersKey)
	}
}

func TestProvidersAreReadOnceForEachContentIfNeeded(t *testing.T) {
	for name, test := range map[string]struct {
		wanted []string
		do     func(*testing.T, *providersFixture)
		want   []string
	}{
		"nobody needs anything":             {wanted: []string{"baker"}},
		"what is kept brings it":            {wanted: []string{"baker", "hungry"}},
		"nothing that is kept brings it":    {wanted: []string{"hungry"}, want: []string{"https://green"}},
		"every reading goes through it all": {wanted: []string{"hungry"}, do: func(_ *testing.T, p *providersFixture) { p.whole = true }},
		"it was read, and time goes by":     {wanted: []string{"hungry"}, want: []string{"https://green"}, do: func(t *testing.T, p *providersFixture) { p.settle(t, "green"); p.clock.Step(24 * readTimeout) }},
		"somebody else wants something":     {wanted: []string{"hungry"}, want: []string{"https://green"}, do: func(t *testing.T, p *providersFixture) { p.settle(t, "green"); p.addOperator(t, "smith") }},
		"somebody needs it later":           {wanted: []string{"smith"}, want: []string{"https://green"}, do: func(t *testing.T, p *providersFixture) { p.settle(t, "green"); p.addOperator(t, "hungry") }},
		"its content is another":            {wanted: []string{"hungry"}, want: []string{"https://green", "https://green"}, do: func(t *testing.T, p *providersFixture) { p.settle(t, "green"); p.serve(t, "green", "two") }},
		"it is down for a while": {wanted: []string{"hungry"}, want: []string{"https://green"}, do: func(t *testing.T, p *providersFixture) {
			p.settle(t, "green")
			p.fail = errors.New("down")
			p.settle(t, "green")
			p.fail = nil
		}},
		"two catalogs, one after the other": {wanted: []string{"hungry"}, want: []string{"https://blue", "https://green"}, do: func(t *testing.T, p *providersFixture) { p.serve(t, "blue", "one"); p.settle(t, "blue", "green") }},
		"the wanted packages come first":    {wanted: []string{"hungry"}, do: func(_ *testing.T, p *providersFixture) { p.fail = errors.New("down") }},
		"content that changes while it is read": {wanted: []string{"hungry"}, want: []string{"https://green", "https://green"}, do: func(t *testing.T, p *providersFixture) {
			p.during = func() { p.during = nil; p.serve(t, "green", "two"); p.runKey(t, "ClusterCatalog/green") }
		}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProvidersFixture(t, test.wanted...)
			p.serve(t, "green", "one")
			if test.do != nil {
				test.do(t, p)
			}
			p.settle(t, "green")
			if diff := cmp.Diff(test.want, p.passes); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestProvidersAreNotifiedOnce(t *testing.T) {
	p := newProvidersFixture(t, "hungry")
	p.serve(t, "green", "one")
	says := func(partial bool, packages ...string) {
		t.Helper()
		got := p.snapshots.Providers(bread)
		if len(got) != 1 || got[0].Catalog != green || got[0].Partial != partial || !cmp.Equal(got[0].Packages, packages) {
			t.Errorf("%+v, want %q (partial: %t)", got, packages, partial)
		}
	}
	p.runKey(t, "ClusterCatalog/green")
	says(true)
	p.changes, p.notified = nil, nil
	p.settle(t, "green")
	says(false, "grocer")
	if diff := cmp.Diff([]string{"ClusterCatalog/green"}, p.changes); diff != "" || len(p.notified) > 0 {
		t.Errorf("told of packages %q, of providers (-want +got):\n%s", p.notified, diff)
	}
	p.changes = nil
	p.settle(t, "green")
	if len(p.changes) > 0 {
		t.Errorf("nothing has changed, and %q are told of", p.changes)
	}
	p.serve(t, "green", "two")
	p.provides = "butcher"
	p.runKey(t, "ClusterCatalog/green")
	says(false, "grocer") // until the next read
	p.settle(t, "green")
	says(false, "butcher")
	if err := p.sources[catalog.KindClusterCatalog].informer.GetStore().Delete(object(t, "metadata: {name: green}")); err != nil {
		t.Fatal(err)
	}
	p.changes = nil
	p.settle(t, "green")
	if got := p.snapshots.Providers(bread); got != nil || len(p.changes) != 1 {
		t.Errorf("it is gone and brings %+v; told of %q", got, p.changes)
	}
}

func TestProvidersReadIsRetried(t *testing.T) {
	for name, test := range map[string]struct {
		digest string
		fail   func(*providersFixture)
		repair func(*providersFixture)
	}{
		"the catalog answers with an error":                             {"one", func(p *providersFixture) { p.failing = errors.New("refused") }, func(p *providersFixture) { p.failing = nil }},
		"its content was replaced, and nothing but the server names it": {"", func(p *providersFixture) { p.modified = "later" }, func(p *providersFixture) { p.modified = "" }},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProvidersFixture(t, "hungry")
			p.serve(t, "green", test.digest)
			test.fail(p)
			p.settle(t, "green")
			if len(p.passes) != 1 || len(p.snapshots.Providers(bread)[0].Packages) > 0 {
				t.Fatalf("%d times, and %+v", len(p.passes), p.snapshots.Providers(bread))
			}
			if views := p.snapshots.For("hungry"); views[0].Err != nil || views[0].Package == nil {
				t.Errorf("what is wanted suffers: %+v", views)
			}
			test.repair(p)
			p.clock.Step(firstRetry)
			p.settle(t, "green")
			if got := p.snapshots.Providers(bread); len(p.passes) != 2 || len(got[0].Packages) != 1 {
				t.Errorf("%d times, and %+v", len(p.passes), got)
			}
		})
	}
}

func TestReadOfADeletedCatalogIsIgnored(t *testing.T) {
	p := newProvidersFixture(t, "hungry")
	p.serve(t, "green", "one")
	p.during = func() {
		if err := p.sources[catalog.KindClusterCatalog].informer.GetStore().Delete(object(t, "metadata: {name: green}")); err != nil {
			t.Fatal(err)
		}
		p.runKey(t, "ClusterCatalog/green")
	}
	p.settle(t, "green")
	if got := p.snapshots.Providers(bread); got != nil || len(p.passes) != 1 || len(p.providers) > 0 {
		t.Errorf("%d times, and it is kept: %+v, %+v", len(p.passes), got, p.providers)
	}
}

func TestFailingProviderReadsDoNotDelayOthers(t *testing.T) {
	p := newProvidersFixture(t, "hungry")
	for _, name := range []string{"a", "b", "c"} {
		p.serve(t, name, "i@sha256:"+name)
		p.runKey(t, "ClusterCatalog/"+name)
		p.runKey(t, "ClusterCatalog/"+name)
	}
	kind := p.sources[catalog.KindClusterCatalog]
	read, asked := kind.read, map[string]int{}
	kind.read = func(ctx context.Context, r Request) (Result, error) {
		if !r.OnlyProviders {
			return read(ctx, r)
		}
		asked[r.Endpoint]++
		if r.Endpoint != "https://c" {
			p.clock.Step(readTimeout)
			return Result{}, context.DeadlineExceeded
		}
		return read(ctx, r)
	}
	for range 5 {
		p.runKey(t, providersKey)
		p.clock.Step(time.Second)
	}
	if asked["https://c"] == 0 {
		t.Errorf("the third is not read: %v", asked)
	}
}

func TestProviderReadOfADeletedCatalogIsIgnored(t *testing.T) {
	p := newProvidersFixture(t, "hungry")
	p.serve(t, "green", "one")
	p.runKey(t, "ClusterCatalog/green")
	p.runKey(t, "ClusterCatalog/green")
	p.failing = errors.New("down")
	p.during = func() {
		if err := p.sources[catalog.KindClusterCatalog].informer.GetStore().Delete(object(t, `metadata: {name: green}`)); err != nil {
			t.Error(err)
		}
		p.runKey(t, "ClusterCatalog/green")
	}
	p.runKey(t, providersKey)
	if wait := p.backoff.Get(providersBackoff(green)); wait != 0 {
		t.Errorf("a catalog that is gone has a back-off of %s", wait)
	}
}

func TestPackageThatIsWantedAgainIsRead(t *testing.T) {
	p := newProvidersFixture(t, "quay", "other")
	p.fixture.modified, p.duration = "Mon", time.Millisecond
	p.serve(t, "green", "")
	const key = "ClusterCatalog/green"
	p.runKey(t, key)
	p.runKey(t, key)
	p.unmodified = true
	p.removeOperator(t, "other")
	p.runKey(t, key)
	p.addOperator(t, "other")
	p.clock.Step(time.Second)
	before := p.reads()
	for range 100 {
		p.runKey(t, key)
		p.clock.Step(time.Millisecond)
	}
	if got, reads := views(p.fixture, key, "other"), p.reads()-before; got == "pending" || reads > 3 {
		t.Errorf("it says %q after %d readings", got, reads)
	}
}
