package joint

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"weak"

	gocmp "github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// allAtOnce decides all operators as one component, without a cache.
func allAtOnce(requests []resolve.Request, state resolve.ClusterState) map[string]resolve.Decision {
	requests = slices.SortedStableFunc(slices.Values(requests), func(a, b resolve.Request) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.Operator, b.Operator))
	})
	index := resolve.NewClusterIndex(requests, state)
	var evaluations []*resolve.Evaluation
	for _, req := range requests {
		evaluations = append(evaluations, resolve.NewEvaluation(req, index))
	}
	return decideComponent(index, evaluations)
}

// changingCluster is a generated cluster that is changed at random.
type changingCluster struct {
	*rand.Rand
	requests map[string]resolve.Request
	offers   map[string][]resolve.Catalog
	kinds    map[catalog.GVK]resolve.Kind
	external map[string]resolve.ExternalPackage
	provides map[catalog.GVK][]string
	unlisted []string
	clock    int
}

const changingOperators = 9

func newChangingCluster(seed uint64) *changingCluster {
	c := &changingCluster{
		Rand: rand.New(rand.NewPCG(seed, 11)), requests: map[string]resolve.Request{}, offers: map[string][]resolve.Catalog{},
		kinds: map[catalog.GVK]resolve.Kind{}, external: map[string]resolve.ExternalPackage{}, provides: map[catalog.GVK][]string{},
	}
	for range 60 {
		c.change()
	}
	return c
}

func (c *changingCluster) operator() string { return fmt.Sprintf("op%d", c.IntN(changingOperators)) }
func (c *changingCluster) pkg() string      { return fmt.Sprintf("p%d", c.IntN(changingOperators)) }
func (c *changingCluster) kind() catalog.GVK {
	return gvk(string(rune('A' + c.IntN(8))))
}

// change makes one random change and returns who is notified: the operators in about, or all operators. event reports whether the change is
// one of the cluster's kinds, external packages or provider hints.
func (c *changingCluster) change() (about []string, all, event bool) {
	name := c.operator()
	req, asked := c.requests[name]
	switch what := c.IntN(13); {
	case what == 0 && asked:
		delete(c.requests, name)
		return []string{name}, false, false
	case what <= 4:
		c.changeRequest(name, req, asked)
		return []string{name}, false, false
	case what <= 8:
		pkg := c.pkg()
		c.offers[pkg] = c.offer(pkg)
		for name, req := range c.requests {
			if req.Package == pkg {
				about = append(about, name)
			}
		}
		return about, false, false
	case what == 9:
		kind := resolve.Kind{GVK: c.kind()}
		switch c.IntN(4) {
		case 0:
			delete(c.kinds, kind.GVK)
			return nil, false, true
		case 1:
			kind.Operator = c.operator()
		case 2:
			kind.Installer = "Subscription ops/" + c.pkg()
		}
		c.kinds[kind.GVK] = kind
		return nil, false, true
	case what == 10:
		pkg := c.pkg()
		if _, there := c.external[pkg]; there {
			delete(c.external, pkg)
			return nil, false, true
		}
		c.external[pkg] = resolve.ExternalPackage{Package: pkg, Version: fmt.Sprintf("%d.0.0", 1+c.IntN(3)), Installer: "ClusterExtension " + pkg}
		return nil, false, true
	case what == 11:
		gvk := c.kind()
		c.provides[gvk] = append(slices.Clone(c.provides[gvk]), c.pkg())
		if c.IntN(2) == 0 {
			delete(c.provides, gvk)
		}
		return nil, false, true
	}
	c.unlisted = [][]string{nil, {"CatalogSource"}}[c.IntN(4)/3]
	return nil, true, false
}

func (c *changingCluster) changeRequest(name string, req resolve.Request, exists bool) {
	if !exists {
		c.clock++
		req = resolve.Request{Operator: name, Package: c.pkg(), ClusterVersion: "4.20.3", KubeVersion: "v1.33.4", Created: time.Unix(int64(c.clock/2), 0)}
	}
	switch c.IntN(6) {
	case 0:
		req.VersionRange = []string{"", ">=2.0.0", "1.x", "nonsense"}[c.IntN(4)]
	case 1:
		req.Manual = !req.Manual
	case 2:
		req.Approved = "2.0.0"
	case 3:
		req.Allowed = [][]string{nil, {"p[0-4]"}}[c.IntN(2)]
	default:
		req.InstalledVersion, req.InstalledBundle = "", ""
		if version := c.IntN(4); version > 0 {
			req.InstalledVersion = fmt.Sprintf("%d.0.0", version)
			req.InstalledBundle = req.Package + ".v" + req.InstalledVersion
		}
	}
	req.Selector = nil
	if c.IntN(3) == 0 {
		req.Selector, _ = metav1.LabelSelectorAsSelector(&metav1.LabelSelector{MatchLabels: map[string]string{"tier": []string{"one", "two"}[c.IntN(2)]}})
	}
	c.requests[name] = req
}

// offer returns one or two catalogs. Each may be unreadable, or not have the package.
func (c *changingCluster) offer(pkg string) []resolve.Catalog {
	offers := []resolve.Catalog{{ID: community}, {ID: cluster}}[:1+c.IntN(2)]
	for i := range offers {
		offer := &offers[i]
		offer.Labels, offer.Priority, offer.Unavailable = map[string]string{"tier": []string{"one", "two"}[c.IntN(2)]}, c.IntN(2), c.IntN(6) == 0
		switch c.IntN(7) {
		case 0:
			offer.Err, offer.Pending = fmt.Errorf("attempt %d failed", c.IntN(2)), c.IntN(2) == 0
		case 1: // it does not have the package
		default:
			offer.Package = c.content(pkg)
		}
	}
	if len(offers) == 2 && c.IntN(2) == 0 { // an earlier offer with one change
		if before := slices.Clone(c.offers[pkg]); len(before) > 0 {
			each := &before[c.IntN(len(before))]
			switch c.IntN(3) {
			case 0:
				each.Priority = 1 - each.Priority
			case 1:
				each.Unavailable = !each.Unavailable
			default:
				each.Pending = !each.Pending && each.Err != nil
			}
			return before
		}
	}
	return offers
}

func (c *changingCluster) content(pkg string) *catalog.Package {
	var versions []string
	for i := range 1 + c.IntN(3) {
		text := fmt.Sprintf("%d.0.0", i+1)
		if c.IntN(2) == 0 {
			text += " provides=" + c.kind().Kind
		}
		switch c.IntN(5) {
		case 0, 1:
			text += " requires=" + c.kind().Kind
		case 2:
			text += fmt.Sprintf(" requires=%s:>=%d.0.0", c.pkg(), 1+c.IntN(3))
		}
		versions = append(versions, text)
	}
	return newPackage(pkg, versions...)
}

func (c *changingCluster) state() ([]resolve.Request, resolve.ClusterState) {
	requests := slices.Collect(maps.Values(c.requests)) // in any order
	state := resolve.ClusterState{Catalogs: func(pkg string) []resolve.Catalog { return c.offers[pkg] }, Unlisted: c.unlisted}
	for _, gvk := range slices.SortedFunc(maps.Keys(c.kinds), catalog.GVK.Compare) {
		state.Kinds = append(state.Kinds, c.kinds[gvk])
	}
	for _, pkg := range slices.Sorted(maps.Keys(c.external)) {
		state.ExternalPackages = append(state.ExternalPackages, c.external[pkg])
	}
	state.ProviderHints = func(gvk catalog.GVK) []resolve.ProviderHint {
		if len(c.provides[gvk]) == 0 {
			return nil
		}
		return []resolve.ProviderHint{{Catalog: community, Packages: slices.Clone(c.provides[gvk])}}
	}
	return requests, state
}

// The tests check the two properties with few generated clusters; those with ManyClusters check more, without the race detector.

func TestHRD_B2_CachedDecisionsEqualNewOnes(t *testing.T) { testCachedDecisions(t, 3, 10) }
func TestHRD_B2_ManyClusters_CachedDecisionsEqualNewOnes(t *testing.T) {
	testCachedDecisions(t, 80, 1000)
}
func TestHRD_B2_UnaffectedDecisionsStayValid(t *testing.T)              { testUnaffected(t, 3) }
func TestHRD_B2_ManyClusters_UnaffectedDecisionsStayValid(t *testing.T) { testUnaffected(t, 120) }

// testCachedDecisions changes generated clusters step by step, and checks that the results of two caches are equal to new decisions. The
// clusters must have at least minConflicts conflicts, so that the test includes them.
func testCachedDecisions(t *testing.T, clusters, minConflicts int) {
	t.Helper()
	kept, chosen, joined, conflicts := 0, 0, 0, 0
	for seed := range uint64(clusters) { // few
		c := newChangingCluster(seed)
		var one, whole Cache
		for step := range 60 {
			c.change()
			requests, state := c.state()
			want := allAtOnce(requests, state)
			if diff := difference(want, whole.ResolveAll(requests, state)); diff != "" {
				t.Fatalf("seed %d, step %d: together (-want +got):\n%s", seed, step, diff)
			}
			for _, name := range slices.Sorted(maps.Keys(want)) {
				got := one.Resolve(name, requests, state)
				if diff := difference(want[name], got.Decision); diff != "" {
					t.Fatalf("seed %d, step %d: %s (-want +got):\n%s", seed, step, name, diff)
				}
				if got.Decided == 0 {
					kept++
				}
				if got.Decision.Chosen != nil {
					chosen++
				}
				joined, conflicts = joined+min(1, len(got.Decision.CoResolved)), conflicts+len(got.Decision.Conflicts)
			}
			if len(one.known) != len(requests) || len(whole.known) != len(requests) {
				t.Fatalf("seed %d, step %d: the caches keep %d and %d operators, want %d", seed, step, len(one.known), len(whole.known), len(requests))
			}
		}
	}
	if kept < 125*clusters || chosen < 50*clusters || joined < 50*clusters || conflicts < minConflicts {
		t.Errorf("%d cached decisions, %d with a chosen version, %d joint ones, %d conflicts: the generated clusters are too simple", kept, chosen, joined, conflicts)
	}
}

// testUnaffected checks that decisions stay valid if, as with the controller's queue, an operator is decided again only after a
// notification.
func testUnaffected(t *testing.T, clusters int) {
	t.Helper()
	asked, steps := 0, 0
	for seed := range uint64(clusters) { // few
		c := newChangingCluster(seed)
		var cache Cache
		last := map[string]resolve.Decision{}
		queue := map[string]bool{}
		add := func(names ...string) {
			for _, name := range names {
				queue[name] = true
			}
		}
		add(slices.Collect(maps.Keys(c.requests))...)
		for step := range 80 {
			requests, state := c.state()
			for round := 0; len(queue) > 0; round++ {
				if round > 200 {
					t.Fatalf("seed %d, step %d: operators affect one another in an endless loop: %v", seed, step, queue)
				}
				names := slices.Sorted(maps.Keys(queue))
				name := names[c.IntN(len(names))]
				delete(queue, name)
				if _, there := c.requests[name]; !there {
					delete(last, name)
					outdated, _ := cache.Invalidate(requests, state)
					add(outdated...)
					continue
				}
				answer := cache.Resolve(name, requests, state)
				last[name] = answer.Decision
				add(answer.Affected...)
				asked++
			}
			if diff := difference(allAtOnce(requests, state), last); diff != "" {
				t.Fatalf("seed %d, step %d: a decision is outdated (-want +got):\n%s", seed, step, diff)
			}
			steps++
			about, all, event := c.change()
			add(about...)
			if all {
				add(slices.Collect(maps.Keys(c.requests))...)
			}
			if event {
				outdated, undecided := cache.Invalidate(c.state())
				add(append(outdated, undecided...)...)
			}
		}
	}
	if asked > 4*steps {
		t.Errorf("%d decisions were requested in %d steps, which is nearly every operator in each step", asked, steps)
	}
}

// difference returns the difference between two decisions as text; empty if they are equal.
func difference(want, got any) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return gocmp.Diff(want, got) + "not equal"
}

// hundredAlone returns 100 operators with few dependencies: op97 requires the kind that op98 provides, and op99 provides the same kind as
// op98.
func hundredAlone() *fleet {
	var operators [][]string
	for i := range 97 {
		operators = append(operators, []string{fmt.Sprintf("op%02d@1.0.0", i), fmt.Sprintf("1.0.0 provides=K%d", i), fmt.Sprintf("1.1.0 provides=K%d requires=Served", i)})
	}
	operators = append(operators, []string{"op97", "1.0.0 requires=Shared"}, []string{"op98", "1.0.0 provides=Shared"}, []string{"op99", "1.0.0 provides=Shared"})
	return newFleet(operators...).with(func(n *fleet) { n.state.Kinds = []resolve.Kind{{GVK: gvk("Served")}} })
}

// Promise HRD-B2: When the catalog of one package changes, of 100 operators only its own and those that share requirements or kinds with
// it are evaluated again.
func TestHRD_B2_OnlyAffectedOperatorsAreDecidedAgain(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*fleet)
		// ask is the operator that is decided first. want has the operators that are decided again.
		ask  string
		want []string
	}{
		"nothing": {func(*fleet) {}, "op05", nil},
		"the catalog of one package": {func(n *fleet) {
			n.packages["op05"] = newPackage("op05", "1.0.0 provides=K5", "1.2.0 provides=K5")
		}, "op05", []string{"op05"}},
		"the catalog of a package that others depend on": {func(n *fleet) {
			n.packages["op98"] = newPackage("op98", "1.1.0 provides=Shared")
		}, "op98", []string{"op97", "op98", "op99"}},
		"a package that gets a dependency on another one": {func(n *fleet) {
			n.packages["op05"] = newPackage("op05", "1.0.0 provides=K5", "1.2.0 provides=K5 requires=op06:>=1.0.0")
		}, "op05", []string{"op05", "op06"}},
		"a spec": {func(n *fleet) { n.requests[5].VersionRange = "<1.1.0" }, "op05", []string{"op05"}},
		"what is installed": {func(n *fleet) {
			n.requests[5].InstalledVersion, n.requests[5].InstalledBundle = "1.1.0", "op05.v1.1.0"
		}, "op05", []string{"op05"}},
		"a kind that no bundle has": {func(n *fleet) { n.state.Kinds = append(n.state.Kinds, resolve.Kind{GVK: gvk("Other")}) }, "op05", nil},
		"a kind that an operator provides": {func(n *fleet) {
			n.state.Kinds = append(n.state.Kinds, resolve.Kind{GVK: gvk("K5"), Installer: "Subscription ops/five"})
		}, "op05", []string{"op05"}},
		"a package of another installer": {func(n *fleet) {
			n.state.ExternalPackages = []resolve.ExternalPackage{{Package: "op05", Installer: "ClusterExtension five"}}
		}, "op05", []string{"op05"}},
	} {
		t.Run(name, func(t *testing.T) {
			n := hundredAlone()
			var cache Cache
			cache.ResolveAll(n.requests, n.state)
			test.change(n)
			outdated, undecided := new(Cache).Invalidate(n.requests, n.state)
			if len(outdated) > 0 || len(undecided) != 100 {
				t.Fatalf("an empty cache has %d outdated and %d undecided operators", len(outdated), len(undecided))
			}
			answer := cache.Resolve(test.ask, n.requests, n.state)
			if answer.Decided != len(test.want) {
				t.Errorf("%d operators were decided again, want %d", answer.Decided, len(test.want))
			}
			others := slices.DeleteFunc(slices.Clone(test.want), func(name string) bool { return name == test.ask })
			if !slices.Equal(answer.Affected, others) {
				t.Errorf("affected are %v, want %v", answer.Affected, others)
			}
			if diff := difference(allAtOnce(n.requests, n.state)[test.ask], answer.Decision); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, req := range n.requests {
				if again := cache.Resolve(req.Operator, n.requests, n.state); again.Decided > 0 || len(again.Affected) > 0 {
					t.Errorf("%s: a second call decided %d operators, and affected %v", req.Operator, again.Decided, again.Affected)
				}
			}
		})
	}
}

func TestHRD_B2_ResolveDecidesOnlyTheOperator(t *testing.T) {
	n := hundredAlone()
	var cache Cache
	if answer := cache.Resolve("op05", n.requests, n.state); answer.Decided != 1 || answer.Affected != nil || answer.Decision.Chosen == nil {
		t.Errorf("the first call decided %d operators, and affected %v: %s", answer.Decided, answer.Affected, answer.Decision.Message)
	}
	if answer := cache.Resolve("nobody", n.requests, n.state); answer.Decided != 0 || answer.Affected != nil || !reflect.DeepEqual(answer.Decision, resolve.Decision{}) {
		t.Errorf("an unknown operator has result %+v", answer)
	}
}

func TestInvalidate(t *testing.T) {
	n := newFleet([]string{"a", "1.0.0 requires=K"}, []string{"b", "1.0.0"}).with(func(n *fleet) {
		n.state.ProviderHints = everyKindBy(resolve.ProviderHint{Catalog: community, Packages: []string{"baker"}})
	})
	var cache Cache
	for _, step := range []struct {
		says                string
		do                  func()
		outdated, undecided []string
	}{
		{"nobody has asked", func() {}, nil, []string{"a", "b"}},
		{"both have", func() { cache.ResolveAll(n.requests, n.state) }, nil, nil},
		{"another package provides the kind too", func() {
			n.state.ProviderHints = everyKindBy(resolve.ProviderHint{Catalog: community, Packages: []string{"baker", "grocer"}})
		}, []string{"a"}, nil},
		{"it is named as outdated once", func() {}, nil, []string{"a"}},
		{"it has asked", func() { cache.Resolve("a", n.requests, n.state) }, nil, nil},
		{"somebody asks for a package that provides it", func() {
			n.requests = append(n.requests, resolve.Request{Operator: "c", Package: "baker", Created: time.Unix(1<<40, 0)})
		}, []string{"a"}, []string{"c"}},
		{"and is gone again", func() { n.requests = n.requests[:2] }, nil, []string{"a"}},
		{"one becomes the other's", func() {
			cache.ResolveAll(n.requests, n.state)
			n.state.Kinds = []resolve.Kind{{GVK: gvk("K"), Operator: "b"}}
		}, []string{"a", "b"}, nil},
		{"one is gone", func() {
			cache.ResolveAll(n.requests, n.state)
			n.requests = n.requests[:1]
		}, []string{"a"}, nil},
		{"nobody tells who provides kinds", func() {
			cache.ResolveAll(n.requests, n.state)
			n.state.ProviderHints = nil
		}, []string{"a"}, nil},
	} {
		step.do()
		outdated, undecided := cache.Invalidate(n.requests, n.state)
		if !slices.Equal(outdated, step.outdated) || !slices.Equal(undecided, step.undecided) {
			t.Errorf("%s: outdated are %v, want %v; undecided are %v, want %v", step.says, outdated, step.outdated, undecided, step.undecided)
		}
	}
}

func TestHRD_B2_TheCacheReleasesReplacedCatalogs(t *testing.T) {
	n := newFleet([]string{"a", "1.0.0"}, []string{"b", "1.0.0"})
	catalogs := func(pkgs []catalog.Package) {
		n.state.Catalogs = func(pkg string) []resolve.Catalog {
			at := slices.IndexFunc(pkgs, func(p catalog.Package) bool { return p.Name == pkg })
			return []resolve.Catalog{{ID: community, Package: &pkgs[at]}}
		}
	}
	var cache Cache
	b := *newPackage("b", "1.0.0")
	gone := func() weak.Pointer[catalog.Bundle] { // content that the next read replaces
		read := []catalog.Package{*newPackage("a", "1.0.0"), b}
		catalogs(read)
		cache.ResolveAll(n.requests, n.state)
		return weak.Make(&read[0].Bundles[0])
	}()
	runtime.GC()
	if gone.Value() == nil {
		t.Fatal("the test is ineffective: content in use was collected")
	}
	catalogs([]catalog.Package{*newPackage("a", "1.0.0", "1.1.0"), b})
	if answer := cache.Resolve("a", n.requests, n.state); answer.Decided != 1 || !strings.Contains(answer.Decision.Message, "1.1.0") {
		t.Fatalf("%d operators were decided: %s", answer.Decided, answer.Decision.Message)
	}
	runtime.GC()
	if gone.Value() != nil {
		t.Error("the decision for b keeps the earlier content of a in memory")
	}
	runtime.KeepAlive(&cache)
}
