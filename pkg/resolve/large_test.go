package resolve

import (
	"fmt"
	"strings"
	"testing"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// largeCatalogs returns two catalogs of the same priority. The first has a package in which each version replaces the previous one. The
// second has one version of that package.
func largeCatalogs(versions int, rules string) []Catalog {
	var texts []string
	for i := range versions {
		texts = append(texts, fmt.Sprintf("1.%d.0", 10_000+i)) // so that the order of names is the order of versions
	}
	first := chained(texts...)
	if rules != "" {
		first.UpgradeRules = []catalog.UpgradeRules{{Schema: upgrade.Schema, Location: "blob 1", Raw: rules}}
	}
	second := chained("0.9.0") // below the installed version: it blocks nothing, but is compared with every version
	return []Catalog{{ID: cluster, Package: first}, {ID: catalog.ID{Kind: catalog.KindClusterCatalog, Name: "second"}, Package: second}}
}

// workOn decides one operator, and returns the decision and the work steps for its paths and their explanations.
func workOn(t *testing.T, req Request, catalogs []Catalog) (Decision, int) {
	t.Helper()
	e := NewEvaluation(req, NewClusterIndex([]Request{req}, ClusterState{Catalogs: func(string) []Catalog { return catalogs }}))
	e.Filter()
	return e.Decide(), e.paths.reach.WorkDone()
}

func TestHRD_B1_WorkGrowsNearlyLinearly(t *testing.T) {
	for name, test := range map[string]struct {
		guarded bool
		reason  platformv1alpha1.BlockedReason
	}{
		"a chain":                               {false, ""},
		"a chain with rules that cannot be met": {true, platformv1alpha1.BlockedStep},
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
				got, spent := workOn(t, newRequest(installed("1.10000.0")), largeCatalogs(versions, rules))
				work = append(work, spent)
				if want := fmt.Sprintf("1.%d.0", 10_000+reached); got.Target == nil || got.Target.Version.String() != want || len(got.Updates) != versions-1 {
					t.Fatalf("with %d versions the target is %v, want %s, with %d updates: %s", versions, got.Target, want, len(got.Updates), got.Message)
				}
				for i, update := range got.Updates {
					shown := i < platformv1alpha1.MaxAvailableUpdates
					if update.Reachable != (update.Reason == "") || (len(update.Path) > 0) != (update.Reachable && shown) {
						t.Fatalf("update %d of %d, %s: %d steps on the path, %s", i, versions, update.Version, len(update.Path), update.Reason)
					}
					if i+1 >= versions-reached || i+1 == versions-reached-1 { // reachable, or the lowest unreachable one
						continue
					}
					if detailed := strings.Contains(update.Why(), "steps["); update.Reason != test.reason || detailed != (test.reason != "" && shown) {
						t.Fatalf("update %d of %d, %s: %s, %s", i, versions, update.Version, update.Reason, update.Why())
					}
				}
			}
			if growth := float64(work[1]) / float64(work[0]); work[0] == 0 || growth > 15 { // n log n is 13 or 14 times
				t.Errorf("ten times as many versions take %.1f times the work: %d and %d steps", growth, work[0], work[1])
			}
		})
	}
}

func TestHRD_B1_TheLimitOfTheClusterStateApplies(t *testing.T) {
	request := newRequest(installed("1.10000.0"))
	for budget, want := range map[int]platformv1alpha1.BlockedReason{0: "", 1 << 20: "", 1000: platformv1alpha1.BlockedSearchLimit} {
		state := ClusterState{Limit: upgrade.Limit{Steps: budget}, Catalogs: func(string) []Catalog { return largeCatalogs(100, "") }}
		if got := resolveIn(state, request).Updates[0]; got.Reason != want {
			t.Errorf("with %d steps the newest is blocked by %q, want %q: %s", budget, got.Reason, want, got.Why())
		}
	}
}

// BenchmarkLarge decides one operator at the lowest version of a package. For ten times as many versions, or entries without bundles, n log
// n is about 13 times the work.
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
					if got := Resolve(newRequest(installed("1.10000.0")), catalogs); len(got.Updates) != versions-1 {
						b.Fatal(len(got.Updates))
					}
				}
			})
		}
	}
}
