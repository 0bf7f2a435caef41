package upgradegate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/v1helpers"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// slow is an inventory that blocks each search until the test sends to proceed. begun receives a value when a search begins.
type slow struct {
	begun   chan struct{}
	proceed chan struct{}
}

func (s slow) Kinds() []resolve.Kind {
	s.begun <- struct{}{}
	<-s.proceed
	return nil
}

func (slow) ExternalPackages() []resolve.ExternalPackage { return nil }

// keyed is a sync context with a queue key.
type keyed struct {
	factory.SyncContext
	key string
}

func (k keyed) QueueKey() string { return k.key }

// condition returns the stored condition; the zero value if there is none.
func (g *gate) condition(t *testing.T) operatorv1.OperatorCondition {
	t.Helper()
	if found := v1helpers.FindOperatorCondition(g.seen(t).Status.Conditions, ConditionType); found != nil {
		return *found
	}
	return operatorv1.OperatorCondition{}
}

// searched runs one search, and reports whether its result has changed.
func (g *gate) searched(t *testing.T) bool {
	t.Helper()
	news, err := g.search.run(t.Context(), g.controller)
	if err != nil {
		t.Fatal(err)
	}
	return news
}

func TestHRD_B3_VerdictDoesNotWaitForRemedies(t *testing.T) {
	g := gateOf(t, compass("1.0.x", "4.21", "none"))
	g.clusterVersion(t, "4.20.0")
	g.want(t, "before", operatorv1.ConditionTrue, compat.ReasonAsExpected, "After that, 1 PlatformOperator will block OpenShift 4.22", "update to >=1.1.0")

	held := slow{make(chan struct{}), make(chan struct{})}
	g.inventory = held
	g.clusterVersion(t, "4.21.0")
	judged := make(chan error)
	go func() { judged <- g.sync(t.Context(), g.queue) }()
	select {
	case err := <-judged:
		if err != nil {
			t.Fatal(err)
		}
	case <-held.begun:
		t.Fatal("the verdict waits for a search")
	}
	const line = "- compass 1.0.0 allows at most 4.21: "
	now := g.condition(t)
	if now.Status != operatorv1.ConditionFalse || !strings.HasSuffix(now.Message, line+"remedy not known yet.") {
		t.Fatalf("at first it says %s: %s", now.Status, now.Message)
	}
	if key, _ := g.queue.Queue().Get(); key != RemediesKey {
		t.Fatalf("queued is %q", key)
	}

	// The cluster version changes again during the search.
	searched := make(chan error)
	go func() { searched <- g.sync(t.Context(), keyed{g.queue, RemediesKey}) }()
	<-held.begun
	g.clusterVersion(t, "4.20.1")
	g.syncOnce(t)
	if now := g.condition(t); now.Status != operatorv1.ConditionTrue || !strings.Contains(now.Message, line+"update to >=1.1.0 (allows 4.22)") {
		t.Errorf("while a search is under way it says %s: %s", now.Status, now.Message)
	}
	g.clusterVersion(t, "4.21.0")
	g.syncOnce(t)
	close(held.proceed)
	if err := <-searched; err != nil {
		t.Fatal(err)
	}
	g.syncOnce(t)
	now = g.condition(t)
	if now.Status != operatorv1.ConditionFalse || !strings.Contains(now.Message, line+"update to >=1.1.0 (allows 4.22)") {
		t.Errorf("at last it says %s: %s", now.Status, now.Message)
	}

	// The result of a search remains for other verdicts, and for another patch version of the cluster.
	g.clusterVersion(t, "4.21.1")
	g.syncOnce(t)
	if patched := g.condition(t); patched.Message != now.Message {
		t.Errorf("after a patch it says\n%s\nafter\n%s", patched.Message, now.Message)
	}
}

func TestHRD_B3_RecordedRemediesStayUntilANewProcessHasSearched(t *testing.T) {
	g, recorded := judged(t, "4.21.0", compass("1.0.x", "4.21", "none"))
	g.restart(t)
	g.client.ClearActions()
	g.syncOnce(t)
	if now := g.condition(t); now.Message != recorded || g.wrote() {
		t.Errorf("it says\n%s\nafter\n%s", now.Message, recorded)
	}
	g.searched(t)
	g.syncOnce(t)
	if now := g.condition(t); now.Message != recorded || g.wrote() {
		t.Errorf("having searched it says\n%s\nafter\n%s", now.Message, recorded)
	}
}

func TestNothingIsSearchedTwice(t *testing.T) {
	g := gateOf(t, compass("1.0.x", "4.21", "none"))
	g.clusterVersion(t, "4.21.0")
	g.says(t)
	if g.searched(t) {
		t.Error("nothing has changed, and there is another answer")
	}
	g.offers.catalogs = nil
	if !g.searched(t) {
		t.Error("the catalogs have nothing any more, and the answer is the same")
	}
}

// manyVersions returns a catalog of package compass with this number of versions. Each one replaces the one before it, and all permit
// OpenShift up to 4.21.
func manyVersions(count int) []resolve.Catalog {
	pkg := &catalog.Package{Name: "compass", DefaultChannel: "stable", Channels: []catalog.Channel{{Name: "stable"}}}
	for i := range count {
		version := fmt.Sprintf("1.%d.0", i)
		entry := catalog.Entry{Name: "compass.v" + version}
		if i > 0 {
			entry.Replaces = fmt.Sprintf("compass.v1.%d.0", i-1)
		}
		pkg.Channels[0].Entries = append(pkg.Channels[0].Entries, entry)
		pkg.Bundles = append(pkg.Bundles, catalog.Bundle{Name: entry.Name, Version: version, Image: fmt.Sprintf("i@sha256:%d", i), MaxOpenShiftVersions: []string{`"4.21"`}})
	}
	return []resolve.Catalog{{ID: catalog.ID{Kind: "ClusterCatalog", Name: "c"}, Package: pkg}}
}

// ending is a set of catalogs that call end when they are read.
type ending struct {
	Catalogs
	end context.CancelFunc
}

func (e ending) For(pkg string) []resolve.Catalog {
	e.end()
	return e.Catalogs.For(pkg)
}

func TestHRD_B1_NothingThatASearchFoundByItsEndIsUsed(t *testing.T) {
	g := gateOf(t, compass("", "4.21", "none"))
	g.offers.catalogs = manyVersions(2000)
	g.offers.catalogs[0].Package.Bundles[1999].MaxOpenShiftVersions = []string{`"4.23"`}
	g.clusterVersion(t, "4.21.0")
	g.syncOnce(t)
	before := g.condition(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	g.catalogs = ending{g.offers, cancel}
	if err := g.sync(ctx, keyed{g.queue, RemediesKey}); !errors.Is(err, context.Canceled) {
		t.Errorf("the search ends with %v", err)
	}
	g.syncOnce(t)
	if now := g.condition(t); g.search.last() != nil || now.Message != before.Message {
		t.Errorf("then it says\n%s\nafter\n%s", now.Message, before.Message)
	}
	g.catalogs = g.offers
	if !g.searched(t) {
		t.Error("it is not searched again")
	}
	g.syncOnce(t)
	if now := g.condition(t); !strings.Contains(now.Message, "update to >=1.1999.0") {
		t.Errorf("at last it says %s", now.Message)
	}
}

func TestHRD_B3_VerdictOnAPackageOf800VersionsTakesLessThanASecond(t *testing.T) {
	operators := []*platformv1alpha1.PlatformOperator{compass("", "4.21", "none")}
	g := gateOf(t, operators...)
	g.offers.catalogs = manyVersions(800)
	g.clusterVersion(t, "4.20.0")
	g.syncOnce(t)
	g.clusterVersion(t, "4.21.0")
	begun := time.Now()
	g.syncOnce(t)
	if took := time.Since(begun); took > time.Second {
		t.Errorf("it takes %s", took)
	}
	if now := g.condition(t); now.Status != operatorv1.ConditionFalse || !strings.HasSuffix(now.Message, "remedy not known yet.") {
		t.Errorf("it says %s: %s", now.Status, now.Message)
	}
}
