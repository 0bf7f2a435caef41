package joint

import (
	"fmt"
	"strings"
	"testing"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// atLowest returns a request at the lowest version of a package in which each version replaces the previous one, and the catalogs.
func atLowest(versions int) (resolve.Request, []resolve.Catalog) {
	var texts []string
	for i := range versions {
		texts = append(texts, fmt.Sprintf("1.%d.0", 10_000+i)) // so that the order of names is the order of versions
	}
	pkg := newPackage("quay", texts...)
	for i := range pkg.Channels[0].Entries {
		entry := &pkg.Channels[0].Entries[i]
		entry.SkipRange = ""
		if i > 0 {
			entry.Replaces = pkg.Channels[0].Entries[i-1].Name
		}
	}
	req := resolve.Request{Operator: "large", Package: "quay", ClusterVersion: "4.20.3", KubeVersion: "v1.33.4", InstalledVersion: "1.10000.0", InstalledBundle: "quay.v1.10000.0"}
	return req, []resolve.Catalog{{ID: cluster, Package: pkg}}
}

func TestHRD_B1_ASearchAtItsLimitIsReportedAndOtherOperatorsAreDecided(t *testing.T) {
	done := make(chan struct{})
	close(done)
	large, versions := atLowest(2000)
	small := resolve.Request{Operator: "small", Package: "small"}
	state := resolve.ClusterState{Limit: upgrade.Limit{Done: done}, Catalogs: func(pkg string) []resolve.Catalog {
		if pkg == "small" {
			return []resolve.Catalog{{ID: cluster, Package: newPackage("small", "1.0.0")}}
		}
		return versions
	}}
	got := ResolveAll([]resolve.Request{large, small}, state)
	if chosen := got["small"].Chosen; chosen == nil || chosen.Version.String() != "1.0.0" {
		t.Errorf("the other operator has decision %+v", got["small"])
	}
	update := got["large"].Updates[0]
	if update.Reason != platformv1alpha1.BlockedSearchLimit || !strings.Contains(update.Why(), fmt.Sprintf("package %q was canceled", large.Package)) {
		t.Errorf("an update of the large package is %+v", update)
	}
	if target := got["large"].Target; target == nil || target.Version.String() != "1.10000.0" {
		t.Errorf("the large package has target %v: %s", target, got["large"].Message)
	}
}

func TestHRD_B1_ACanceledCallKeepsNothing(t *testing.T) {
	closed := make(chan struct{})
	close(closed)
	request, large := atLowest(2000)
	state := func(done <-chan struct{}) resolve.ClusterState {
		return resolve.ClusterState{Limit: upgrade.Limit{Done: done}, Catalogs: func(string) []resolve.Catalog { return large }}
	}
	requests := []resolve.Request{request}
	name := request.Operator
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
		got := cache.Resolve(name, requests, state(step.done))
		if got.Decided != step.decided || got.Decision.Updates[0].Reason != step.blocked {
			t.Fatalf("%s: %d were decided, want %d; the newest is blocked by %q, want %q", step.says, got.Decided, step.decided, got.Decision.Updates[0].Reason, step.blocked)
		}
	}
	var whole Cache
	whole.ResolveAll(requests, state(closed))
	if got := whole.ResolveAll(requests, state(nil))[name]; got.Updates[0].Reason != "" {
		t.Errorf("ResolveAll after a canceled call: %+v", got.Updates[0])
	}
	if _, undecided := whole.Invalidate(requests, state(closed)); len(undecided) != 0 {
		t.Errorf("undecided operators: %v", undecided)
	}
}
