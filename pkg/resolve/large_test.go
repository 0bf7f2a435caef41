package resolve

import (
	"fmt"
	"strings"
	"testing"
	"time"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// largeCatalogs are two catalogs of the same priority: one has a package of so many versions, each of which replaces the one before,
// the other one version of it.
func largeCatalogs(versions int, rules string) []Catalog {
	var texts []string
	for i := range versions {
		texts = append(texts, fmt.Sprintf("1.%d.0", 1000+i)) // names in order are versions in order
	}
	first := chained(texts...)
	if rules != "" {
		first.UpgradeRules = []catalog.UpgradeRules{{Schema: upgrade.Schema, Where: "blob 1", Raw: rules}}
	}
	second := madeOf("quay", "0.9.0") // below what is installed: it is in the way of nothing, and has to be compared with everything
	return []Catalog{{ID: cluster, Package: first}, {ID: catalog.ID{Kind: catalog.KindClusterCatalog, Name: "second"}, Package: second}}
}

func TestHRD_B1_ALargePackageIsDecidedWithinSeconds(t *testing.T) {
	var steps []string
	for i := range 32 {
		steps = append(steps, fmt.Sprintf(`{"through":"3.%d.x","to":">=1.1050.0"}`, i))
	}
	for name, test := range map[string]struct {
		rules, want string
		reason      platformv1alpha1.BlockedReason
	}{
		"a chain":                                {"", "1.1999.0", ""},
		"a chain under steps that cannot be met": {`{"semantics":"channel","steps":[` + strings.Join(steps, ",") + `]}`, "1.1049.0", platformv1alpha1.BlockedStep},
	} {
		t.Run(name, func(t *testing.T) {
			catalogs := largeCatalogs(1000, test.rules)
			began := time.Now()
			got := Resolve(ask(installed("1.1000.0")), catalogs)
			if took := time.Since(began); took > 5*time.Second { // it took 14 s and more when each path was made for each version; with the race detector on, it is slower
				t.Errorf("it took %s", took)
			}
			if got.Target == nil || got.Target.Version.String() != test.want || len(got.Updates) != 999 {
				t.Fatalf("goes to %v, with %d updates: %s", got.Target, len(got.Updates), got.Message)
			}
			for i, update := range got.Updates {
				if update.Reachable != (update.Reason == "") || (len(update.Path) > 0) != (update.Reachable && i < platformv1alpha1.MaxAvailableUpdates) {
					t.Fatalf("update %d, %s: %d hops, %s", i, update.Version, len(update.Path), update.Reason)
				}
				if i > 900 {
					continue
				}
				if detailed := strings.Contains(update.Why, "steps["); update.Reason != test.reason || detailed != (test.reason != "" && i < platformv1alpha1.MaxAvailableUpdates) {
					t.Fatalf("update %d, %s: %s, %s", i, update.Version, update.Reason, update.Why)
				}
			}
		})
	}
}

func TestHRD_B1_SearchesThatEndSayWhichPackageAndOthersAreDecided(t *testing.T) {
	done := make(chan struct{})
	close(done)
	large := ask(installed("1.1000.0"))
	large.Operator = "large"
	small := ask(func(*Request) {})
	small.Operator, small.Package = "small", "small"
	world := World{Done: done, Catalogs: func(pkg string) []Catalog {
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
	if update.Reason != platformv1alpha1.BlockedSearchLimit || !strings.Contains(update.Why, fmt.Sprintf("package %q is too large", large.Package)) || !strings.Contains(update.Why, "spec.package.channels") {
		t.Errorf("the large one: %+v", update)
	}
	if target := got["large"].Target; target == nil || target.Version.String() != "1.1000.0" {
		t.Errorf("the large one goes to %v: %s", target, got["large"].Message)
	}
}

func TestHRD_B1_NothingIsKeptOfACallThatWasEnded(t *testing.T) {
	closed := make(chan struct{})
	close(closed)
	large := largeCatalogs(2000, "")
	world := func(done <-chan struct{}) World {
		return World{Done: done, Catalogs: func(string) []Catalog { return large }}
	}
	requests := []Request{ask(installed("1.1000.0"))}
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
	request := ask(installed("1.1000.0"))
	for budget, want := range map[int]platformv1alpha1.BlockedReason{0: "", 1 << 20: "", 1000: platformv1alpha1.BlockedSearchLimit} {
		world := World{MaxWork: budget, Catalogs: func(string) []Catalog { return largeCatalogs(100, "") }}
		if got := Together([]Request{request}, world)[request.Operator].Updates[0]; got.Reason != want {
			t.Errorf("with %d steps the newest is blocked by %q, want %q: %s", budget, got.Reason, want, got.Why)
		}
	}
}
