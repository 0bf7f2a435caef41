package resolve

import (
	"fmt"
	"strings"
	"testing"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// largeCatalogs are two catalogs of the same priority: one has a package of so many versions, each of which replaces the one before,
// the other one version of it.
func largeCatalogs(versions int, rules string) []Catalog {
	var texts []string
	for i := range versions {
		texts = append(texts, fmt.Sprintf("1.%d.0", 10_000+i)) // names in order are versions in order
	}
	first := chained(texts...)
	if rules != "" {
		first.UpgradeRules = []catalog.UpgradeRules{{Schema: upgrade.Schema, Where: "blob 1", Raw: rules}}
	}
	second := madeOf("quay", "0.9.0") // below what is installed: it is in the way of nothing, and has to be compared with everything
	return []Catalog{{ID: cluster, Package: first}, {ID: catalog.ID{Kind: catalog.KindClusterCatalog, Name: "second"}, Package: second}}
}

// workOn decides about one operator, and counts the steps of work that its paths and their explanations take.
func workOn(t *testing.T, req Request, catalogs []Catalog) (Decision, int) {
	t.Helper()
	around := newSurroundings([]Request{req}, World{Catalogs: func(string) []Catalog { return catalogs }})
	s := begin(req, around)
	return decideJointly(around, []*study{s})[req.Operator], s.journey.reach.Work()
}

func TestHRD_B1_WorkGrowsAsThePackageDoes(t *testing.T) {
	for name, test := range map[string]struct {
		guarded bool
		reason  platformv1alpha1.BlockedReason
	}{
		"a chain":                                {false, ""},
		"a chain under steps that cannot be met": {true, platformv1alpha1.BlockedStep},
	} {
		t.Run(name, func(t *testing.T) {
			var work []int
			for _, versions := range []int{100, 1000} {
				rules, reached := "", versions-1
				if test.guarded {
					var steps []string
					for i := range 32 {
						steps = append(steps, fmt.Sprintf(`{"through":"3.%d.x","to":">=1.%d.0"}`, i, 10_000+versions/2))
					}
					rules, reached = `{"semantics":"channel","steps":[`+strings.Join(steps, ",")+`]}`, versions/2-1
				}
				got, spent := workOn(t, ask(installed("1.10000.0")), largeCatalogs(versions, rules))
				work = append(work, spent)
				if want := fmt.Sprintf("1.%d.0", 10_000+reached); got.Target == nil || got.Target.Version.String() != want || len(got.Updates) != versions-1 {
					t.Fatalf("of %d versions it goes to %v, want %s, with %d updates: %s", versions, got.Target, want, len(got.Updates), got.Message)
				}
				for i, update := range got.Updates {
					shown := i < platformv1alpha1.MaxAvailableUpdates
					if update.Reachable != (update.Reason == "") || (len(update.Path) > 0) != (update.Reachable && shown) {
						t.Fatalf("update %d of %d, %s: %d hops, %s", i, versions, update.Version, len(update.Path), update.Reason)
					}
					if i+1 >= versions-reached || i+1 == versions-reached-1 { // reached, or the lowest that is not
						continue
					}
					if detailed := strings.Contains(update.Why, "steps["); update.Reason != test.reason || detailed != (test.reason != "" && shown) {
						t.Fatalf("update %d of %d, %s: %s, %s", i, versions, update.Version, update.Reason, update.Why)
					}
				}
			}
			if growth := float64(work[1]) / float64(work[0]); work[0] == 0 || growth > 15 { // n log n is 13 or 14 times
				t.Errorf("ten times as many versions take %.1f times the work: %d and %d steps", growth, work[0], work[1])
			}
		})
	}
}

func TestHRD_B1_SearchesThatEndSayWhichPackageAndOthersAreDecided(t *testing.T) {
	done := make(chan struct{})
	close(done)
	large := ask(installed("1.10000.0"))
	large.Operator = "large"
	small := ask(func(*Request) {})
	small.Operator, small.Package = "small", "small"
	world := World{Limit: upgrade.Limit{Done: done}, Catalogs: func(pkg string) []Catalog {
		if pkg == "small" {
			return []Catalog{{ID: cluster, Package: madeOf("small", "1.0.0")}}
		}
		return largeCatalogs(2000, "")
	}}
	got := Together([]Request{large, small}, world)
	if chosen := got["small"].Chosen; chosen == nil || chosen.Version.String() != "1.0.0" {
		t.Errorf("the other operator: %+v", got["small"])
	}
	update := got["large"].Updates[0]
	if update.Reason != platformv1alpha1.BlockedSearchLimit || !strings.Contains(update.Why, fmt.Sprintf("package %q was canceled", large.Package)) {
		t.Errorf("the large one: %+v", update)
	}
	if target := got["large"].Target; target == nil || target.Version.String() != "1.10000.0" {
		t.Errorf("the large one goes to %v: %s", target, got["large"].Message)
	}
}

func TestHRD_B1_NothingIsKeptOfACallThatWasEnded(t *testing.T) {
	closed := make(chan struct{})
	close(closed)
	large := largeCatalogs(2000, "")
	world := func(done <-chan struct{}) World {
		return World{Limit: upgrade.Limit{Done: done}, Catalogs: func(string) []Catalog { return large }}
	}
	requests := []Request{ask(installed("1.10000.0"))}
	name := requests[0].Operator
	var cache Cache
	for _, step := range []struct {
		says    string
		done    <-chan struct{}
		decided int
		blocked platformv1alpha1.BlockedReason
	}{
		{"the first call is ended", closed, 1, platformv1alpha1.BlockedSearchLimit},
		{"the next one is not", make(chan struct{}), 1, ""},
		{"another context", make(chan struct{}), 0, ""},
		{"no context", nil, 0, ""},
		{"a call that is ended needs no search", closed, 0, ""},
		{"what was kept stays", nil, 0, ""},
	} {
		got := cache.Decide(name, requests, world(step.done))
		if got.Decided != step.decided || got.Updates[0].Reason != step.blocked {
			t.Fatalf("%s: %d were decided, want %d; the newest is blocked by %q, want %q", step.says, got.Decided, step.decided, got.Updates[0].Reason, step.blocked)
		}
	}
	var whole Cache
	whole.Together(requests, world(closed))
	if got := whole.Together(requests, world(nil))[name]; got.Updates[0].Reason != "" {
		t.Errorf("all together, after a call that was ended: %+v", got.Updates[0])
	}
	if _, undecided := whole.Invalidate(requests, world(closed)); len(undecided) != 0 {
		t.Errorf("%v count as undecided", undecided)
	}
}

func TestHRD_B1_TheBudgetIsTheWorlds(t *testing.T) {
	request := ask(installed("1.10000.0"))
	for budget, want := range map[int]platformv1alpha1.BlockedReason{0: "", 1 << 20: "", 1000: platformv1alpha1.BlockedSearchLimit} {
		world := World{Limit: upgrade.Limit{Steps: budget}, Catalogs: func(string) []Catalog { return largeCatalogs(100, "") }}
		if got := Together([]Request{request}, world)[request.Operator].Updates[0]; got.Reason != want {
			t.Errorf("with %d steps the newest is blocked by %q, want %q: %s", budget, got.Reason, want, got.Why)
		}
	}
}

// BenchmarkLarge decides about one operator that runs the lowest version of a package. For ten times as many versions, or entries without
// bundles, n log n is about 13 times the work.
func BenchmarkLarge(b *testing.B) {
	guarded := func(versions int) []Catalog {
		var steps []string
		for i := range 32 {
			steps = append(steps, fmt.Sprintf(`{"through":"3.%d.x","to":">=1.%d.0"}`, i, 10_000+versions/2))
		}
		return largeCatalogs(versions, `{"semantics":"channel","steps":[`+strings.Join(steps, ",")+`]}`)
	}
	ranged := func(entries int) []Catalog {
		catalogs := largeCatalogs(entries/10, "")
		channel := &catalogs[0].Package.Channels[0]
		for i := range entries {
			channel.Entries = append(channel.Entries, catalog.Entry{Name: fmt.Sprintf("quay.v9.%d.0", 10_000+i), SkipRange: fmt.Sprintf(">=1.0.0 <9.%d.0", 10_000+i)})
		}
		return catalogs
	}
	for _, size := range []int{1000, 10_000} {
		for name, catalogs := range map[string][]Catalog{"chain": largeCatalogs(size, ""), "guarded": guarded(size), "ranged": ranged(size)} {
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				versions := len(catalogs[0].Package.Bundles)
				b.ReportAllocs()
				for b.Loop() {
					if got := Resolve(ask(installed("1.10000.0")), catalogs); len(got.Updates) != versions-1 {
						b.Fatal(len(got.Updates))
					}
				}
			})
		}
	}
}
