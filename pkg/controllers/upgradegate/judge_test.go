package upgradegate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	clocktesting "k8s.io/utils/clock/testing"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	configv1listers "github.com/openshift/client-go/config/listers/config/v1"
	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"
	"github.com/openshift/library-go/pkg/operator/v1helpers"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/client/clientset/versioned/fake"
	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
	operatorlisters "github.com/openshift/platform-operators/pkg/client/listers/operator/v1alpha1"
	platformlisters "github.com/openshift/platform-operators/pkg/client/listers/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/health"
	"github.com/openshift/platform-operators/pkg/limits"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// gate is a controller on a cluster whose input can be made to fail.
type gate struct {
	*controller
	client   *fake.Clientset
	time     *clocktesting.FakePassiveClock
	versions cache.Indexer
	// featureGates are the FeatureGates of the cluster. lacksFeatureGates is true while they have not been listed.
	featureGates      cache.Indexer
	lacksFeatureGates bool
	resource          cache.Indexer
	deployed          cache.Indexer
	offers            *offers
	lists             *failing
	queue             factory.SyncContext
	// kept are the stored limits.
	kept limits.Stored
}

// offers has the catalogs' contents. It implements Catalogs.
type offers struct {
	catalogs []resolve.Catalog
	unlisted []string
}

func (o *offers) Unlisted() []string { return o.unlisted }

func (o *offers) For(string) []resolve.Catalog { return o.catalogs }

// failing is a lister that returns err, if it is set.
type failing struct {
	platformlisters.PlatformOperatorLister
	err error
}

func (f *failing) List(selector labels.Selector) ([]*platformv1alpha1.PlatformOperator, error) {
	if f.err != nil {
		return nil, f.err
	}
	return f.PlatformOperatorLister.List(selector)
}

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func gateOf(t *testing.T, operators ...*platformv1alpha1.PlatformOperator) *gate {
	t.Helper()
	g := &gate{
		client: fake.NewSimpleClientset(), time: clocktesting.NewFakePassiveClock(start), offers: &offers{catalogs: twoVersions{}.For("")},
		versions: cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil), featureGates: cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil), resource: cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil),
	}
	all := cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)
	for _, operator := range operators {
		if err := all.Add(operator); err != nil {
			t.Fatal(err)
		}
	}
	g.deployed = cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)
	for _, deployment := range deploymentsOf(operators...) {
		if err := g.deployed.Add(deployment); err != nil {
			t.Fatal(err)
		}
	}
	g.lists = &failing{PlatformOperatorLister: platformlisters.NewPlatformOperatorLister(all)}
	manager := &operatorv1alpha1.PlatformOperatorManager{ObjectMeta: metav1.ObjectMeta{Name: "cluster"}}
	if _, err := g.client.OperatorV1alpha1().PlatformOperatorManagers().Create(t.Context(), manager, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	g.queue = factory.NewSyncContext("test", events.NewInMemoryRecorder("test", g.time))
	t.Cleanup(g.queue.Queue().ShutDown)
	g.restart(t)
	return g
}

// restart replaces the controller by a new one, as a restart of the manager does.
func (g *gate) restart(t *testing.T) {
	t.Helper()
	g.controller = &controller{
		client: g.client.OperatorV1alpha1().PlatformOperatorManagers(), operators: g.lists, deployments: corelisters.NewBundleDeploymentLister(g.deployed),
		clusterVersions: configv1listers.NewClusterVersionLister(g.versions), featureGates: configv1listers.NewFeatureGateLister(g.featureGates),
		hasFeatureGates: func() bool { return !g.lacksFeatureGates }, managers: operatorlisters.NewPlatformOperatorManagerLister(g.resource),
		limits:   func() (limits.Stored, error) { return g.kept, nil },
		catalogs: g.offers, inventory: nothingElse{}, kubeVersion: "v1.36.3", clock: g.time, gauge: &gauge{}, watches: "WatchesDegraded", permits: &atomic.Bool{},
	}
	g.seen(t)
}

// seen updates the cache of the operator resource, and returns the resource.
func (g *gate) seen(t *testing.T) *operatorv1alpha1.PlatformOperatorManager {
	t.Helper()
	live, err := g.client.OperatorV1alpha1().PlatformOperatorManagers().Get(t.Context(), "cluster", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.resource.Add(live); err != nil {
		t.Fatal(err)
	}
	return live
}

// clusterVersion stores a ClusterVersion with this status.desired.version, or without a version for "nothing". It does nothing for "".
func (g *gate) clusterVersion(t *testing.T, version string) {
	t.Helper()
	if version == "" {
		return
	}
	object := &configv1.ClusterVersion{ObjectMeta: metav1.ObjectMeta{Name: "version"}}
	object.Status.Desired.Version = strings.TrimPrefix(version, "nothing")
	if err := g.versions.Add(object); err != nil {
		t.Fatal(err)
	}
}

// says syncs once, with the search for remedies, and returns the status, the reason and the message of the condition; "" if there is none.
func (g *gate) says(t *testing.T) (status operatorv1.ConditionStatus, reason, message string) {
	t.Helper()
	g.client.ClearActions()
	g.writeLimiter = health.WriteLimiter{} // so that no write is delayed
	g.syncOnce(t)
	for g.queue.Queue().Len() > 0 {
		key, _ := g.queue.Queue().Get()
		g.queue.Queue().Done(key)
		if key == RemediesKey && g.searched(t) {
			g.syncOnce(t)
		}
	}
	condition := v1helpers.FindOperatorCondition(g.seen(t).Status.Conditions, ConditionType)
	if condition == nil {
		return "", "", ""
	}
	return condition.Status, condition.Reason, condition.Message
}

// syncOnce syncs the verdict once, without a search for remedies. It fails the test if Permits differs from the recorded condition.
func (g *gate) syncOnce(t *testing.T) {
	t.Helper()
	g.seen(t)
	if err := g.sync(context.Background(), g.queue); err != nil {
		t.Fatal(err)
	}
	if recorded := v1helpers.IsOperatorConditionTrue(g.seen(t).Status.Conditions, ConditionType); g.permits.Load() != recorded {
		t.Errorf("the process permits the next minor version: %t; the recorded condition is True: %t", g.permits.Load(), recorded)
	}
}

// wrote reports whether the last sync wrote the status.
func (g *gate) wrote() bool {
	for _, action := range g.client.Actions() {
		if action.GetVerb() == "update" {
			return true
		}
	}
	return false
}

func (g *gate) want(t *testing.T, when string, status operatorv1.ConditionStatus, reason string, words ...string) {
	t.Helper()
	gotStatus, gotReason, message := g.says(t)
	if gotStatus != status || gotReason != reason {
		t.Errorf("%s: %s/%s, want %s/%s: %s", when, gotStatus, gotReason, status, reason, message)
	}
	for _, word := range words {
		if !strings.Contains(message, word) {
			t.Errorf("%s: it does not say %q: %s", when, word, message)
		}
	}
}

// unchanged fails the test if a second sync without a change writes a status or has another message.
func (g *gate) unchanged(t *testing.T, when string) {
	t.Helper()
	_, _, before := g.says(t)
	if _, _, after := g.says(t); g.wrote() || before != after {
		t.Errorf("%s: nothing happens, and it says\n%s\nafter\n%s", when, after, before)
	}
}

var pending = []resolve.Catalog{{ID: catalog.ID{Kind: "ClusterCatalog", Name: "c"}, Err: errors.New("not read yet"), Pending: true}}

// judged returns a gate with a recorded verdict for a cluster version, as an earlier process leaves it, and the message of the verdict.
func judged(t *testing.T, version string, operators ...*platformv1alpha1.PlatformOperator) (*gate, string) {
	t.Helper()
	g := gateOf(t, operators...)
	g.clusterVersion(t, version)
	_, _, message := g.says(t)
	if got := g.seen(t).Status.UpgradeGate; got == nil || got.ClusterVersion != version {
		t.Fatalf("the verdict is recorded for %+v, want %s", got, version)
	}
	return g, message
}

func TestHRD_G4_ANewProcessPermitsNothingBeforeItsFirstVerdict(t *testing.T) {
	for name, test := range map[string]struct {
		next string
		want bool
	}{
		"the next verdict is the same": {"4.21.0", true},
		"the next verdict blocks":      {"4.22.0", false},
	} {
		t.Run(name, func(t *testing.T) {
			g, _ := judged(t, "4.21.0", compass("", "4.22", "none"))
			if !g.permits.Load() {
				t.Fatal("the first process does not permit what it has judged")
			}
			g.clusterVersion(t, test.next)
			g.restart(t)
			if g.permits.Load() {
				t.Error("before its first verdict a process permits what another one has recorded")
			}
			g.client.PrependReactor("update", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
				return true, nil, errors.New("the API server is away")
			})
			err := g.sync(t.Context(), g.queue)
			if (err != nil) == test.want || g.permits.Load() != test.want {
				t.Errorf("with its first verdict it permits %t, want %t, though that is not written: %v", g.permits.Load(), test.want, err)
			}
		})
	}
}

// Promise CLU-G8: Until a new manager process has read everything, the recorded verdict for the same cluster version stays; without one
// the gate blocks, for two minutes at most. In a later outage the verdict stays, and the message says when the outage began.
func TestCLU_G8_NoVerdictIsWithdrawnOrMadeUpWhileTheManagerCannotTell(t *testing.T) {
	const waits = "waits for catalog ClusterCatalog/c to be read, until 2026-03-01T12:02:00Z at the latest"
	permits := compass("", "4.23", "none")

	t.Run("without PlatformOperators it is told at once", func(t *testing.T) {
		g := gateOf(t)
		g.clusterVersion(t, "4.21.0")
		g.offers.catalogs = pending
		g.want(t, "at the start", operatorv1.ConditionTrue, compat.ReasonAsExpected, "no installed PlatformOperator can block")
	})
	t.Run("there is no verdict yet: it waits for the catalogs, and then tells", func(t *testing.T) {
		g := gateOf(t, permits)
		g.clusterVersion(t, "4.21.0")
		read := g.offers.catalogs
		g.offers.catalogs = pending
		g.want(t, "at the start", operatorv1.ConditionFalse, compat.ReasonErrorChecking, waits)
		g.unchanged(t, "while it waits")
		g.restart(t)
		g.want(t, "a restart is no verdict", operatorv1.ConditionFalse, compat.ReasonErrorChecking, waits)
		g.offers.catalogs = read
		g.want(t, "once they have been read", operatorv1.ConditionTrue, compat.ReasonAsExpected)
		g.offers.catalogs = pending // for example a new catalog
		g.want(t, "a catalog that is new later", operatorv1.ConditionTrue, compat.ReasonAsExpected)
	})
	t.Run("there is no verdict yet, and a catalog is never tried: it waits no longer than two minutes", func(t *testing.T) {
		g := gateOf(t, permits)
		g.clusterVersion(t, "4.21.0")
		g.offers.catalogs = pending
		if found := g.judge(); found.again != settling {
			t.Errorf("it looks again in %s", found.again)
		}
		g.time.SetTime(start.Add(settling))
		g.want(t, "then", operatorv1.ConditionTrue, compat.ReasonAsExpected)
	})
	t.Run("which catalogs there are cannot be told: it waits, and then says so instead of that they have nothing", func(t *testing.T) {
		g := gateOf(t, compass("", "4.21", "none"))
		g.clusterVersion(t, "4.21.0")
		read := g.offers.catalogs
		g.offers.catalogs, g.offers.unlisted = nil, []string{"CatalogSource", "ClusterCatalog"}
		g.want(t, "at the start", operatorv1.ConditionFalse, compat.ReasonErrorChecking, "for CatalogSources and ClusterCatalogs to be listed")
		g.time.SetTime(start.Add(settling))
		_, _, message := g.says(t)
		if want := "no version that allows 4.22 is known: CatalogSources and ClusterCatalogs could not be listed."; !strings.Contains(message, want) {
			t.Errorf("it says\n%s\nand not\n%s", message, want)
		}
		if found := g.judge(); found.again != outageRetry {
			t.Errorf("it looks again in %s", found.again)
		}
		g.offers.catalogs, g.offers.unlisted = read, nil
		g.want(t, "then", operatorv1.ConditionFalse, compat.ReasonIncompatible, "update to >=1.1.0 (allows 4.22)")
	})
	for name, operator := range map[string]*platformv1alpha1.PlatformOperator{"True": permits, "False": compass("", "4.21", "none")} {
		t.Run("a recorded verdict stays until everything has been seen: "+name, func(t *testing.T) {
			g, recorded := judged(t, "4.21.0", operator)
			read := g.offers.catalogs
			g.offers.catalogs = pending
			g.restart(t)
			if _, _, message := g.says(t); message != recorded || g.wrote() {
				t.Errorf("it says\n%s\nafter\n%s", message, recorded)
			}
			g.lists.err = errors.New("cache is gone")
			if _, _, message := g.says(t); message != recorded || g.wrote() {
				t.Errorf("with a lister that fails it says\n%s\nafter\n%s", message, recorded)
			}
			g.lists.err, g.offers.catalogs = nil, read
			if _, _, message := g.says(t); message != recorded {
				t.Errorf("when all catalogs are read, the message is\n%s\nafter\n%s", message, recorded)
			}
		})
	}
	t.Run("one that permits what is known to be blocked meanwhile does not", func(t *testing.T) {
		operator := compass("1.0.x", "4.21", "none")
		operator.Spec.CompatibilityOverrides = []corev1alpha2.CompatibilityOverride{
			{OpenShiftVersion: "4.22", Reason: "Ada, ticket 7", Expires: &metav1.Time{Time: start.Add(time.Minute)}}}
		g, _ := judged(t, "4.21.0", operator)
		g.offers.catalogs = pending
		g.restart(t)
		if found := g.judge(); found.verdict != nil || found.again != time.Minute {
			t.Errorf("before the override ends it says %v, and looks again in %s", found.verdict, found.again)
		}
		g.time.SetTime(start.Add(time.Minute))
		g.want(t, "when the override has ended", operatorv1.ConditionFalse, compat.ReasonIncompatible, "- compass 1.0.0 allows at most 4.21")
	})
	t.Run("an override that ends while something cannot be read ends the last verdict", func(t *testing.T) {
		operator := compass("1.0.x", "4.21", "none")
		operator.Spec.CompatibilityOverrides = []corev1alpha2.CompatibilityOverride{
			{OpenShiftVersion: "4.22", Reason: "Ada, ticket 7", Expires: &metav1.Time{Time: start.Add(time.Minute)}}}
		g, _ := judged(t, "4.21.0", operator)
		g.clusterVersion(t, "nothing")
		g.want(t, "before", operatorv1.ConditionTrue, compat.ReasonAsExpected, "overridden until")
		g.time.SetTime(start.Add(time.Minute))
		g.want(t, "after", operatorv1.ConditionFalse, compat.ReasonErrorChecking, "status.desired has no version")
	})
	t.Run("a ClusterVersion that is missing at the start is an outage where a verdict was recorded, and permits nothing that comes", func(t *testing.T) {
		g, recorded := judged(t, "4.21.0", compass("", "4.21", "none"))
		_ = g.versions.Replace(nil, "")
		g.restart(t)
		g.want(t, "missing", operatorv1.ConditionFalse, compat.ReasonErrorChecking, `reading ClusterVersion "version"`)
		g.clusterVersion(t, "4.21.0")
		if _, _, message := g.says(t); message != recorded {
			t.Errorf("when it is back it says\n%s\nafter\n%s", message, recorded)
		}
		fresh := gateOf(t, compass("", "4.21", "none"))
		fresh.want(t, "a cluster without one", operatorv1.ConditionTrue, compat.ReasonAsExpected, "no ClusterVersion")
		fresh.clusterVersion(t, "nothing")
		fresh.want(t, "one that says nothing yet", operatorv1.ConditionFalse, compat.ReasonErrorChecking, "status.desired has no version")
	})
	t.Run("one that was recorded for another cluster version does not", func(t *testing.T) {
		g, _ := judged(t, "4.21.0", permits)
		g.offers.catalogs = pending
		g.clusterVersion(t, "4.22.0")
		g.restart(t)
		g.want(t, "after the restart", operatorv1.ConditionFalse, compat.ReasonErrorChecking, waits)
		if got := g.seen(t).Status.UpgradeGate.ClusterVersion; got != "" {
			t.Errorf("that is recorded as a verdict for %q", got)
		}
	})
	t.Run("nor does one while the cluster's version cannot be read", func(t *testing.T) {
		g, _ := judged(t, "4.21.0", permits)
		g.clusterVersion(t, "nothing")
		g.restart(t)
		g.want(t, "after the restart", operatorv1.ConditionFalse, compat.ReasonErrorChecking, "status.desired has no version")
	})
	for name, operator := range map[string]*platformv1alpha1.PlatformOperator{"True": permits, "False": compass("", "4.21", "none")} {
		t.Run("a later outage keeps the last verdict and says when it began: "+name, func(t *testing.T) {
			g, before := judged(t, "4.21.0", operator)
			status, reason, _ := g.says(t)
			g.time.SetTime(start.Add(time.Hour))
			for what, outage := range map[string]struct {
				begin, end func()
				words      []string
			}{
				"the lister fails": {func() { g.lists.err = errors.New("cache is gone") }, func() { g.lists.err = nil },
					[]string{"Since 2026-03-01T13:00:00Z, the manager cannot read newer data", "listing PlatformOperators: cache is gone"}},
				"the ClusterVersion says nothing": {func() { g.clusterVersion(t, "nothing") }, func() { g.clusterVersion(t, "4.21.0") },
					[]string{"Since 2026-03-01T13:00:00Z, the manager cannot read newer data", "status.desired has no version"}},
				"the ClusterVersion is gone": {func() { _ = g.versions.Replace(nil, "") }, func() { g.clusterVersion(t, "4.21.0") },
					[]string{"Since 2026-03-01T13:00:00Z, the manager cannot read newer data", `reading ClusterVersion "version"`}},
				"the catalog cannot be read": {
					func() {
						g.offers.catalogs = twoVersions{}.For("")
						g.offers.catalogs[0].Unavailable, g.offers.catalogs[0].UnavailableSince = true, start.Add(time.Hour)
					},
					func() { g.offers.catalogs = twoVersions{}.For("") },
					[]string{"Since 2026-03-01T13:00:00Z, some updates may be unknown, because catalog ClusterCatalog/c cannot be read"}},
			} {
				g.time.SetTime(start.Add(time.Hour))
				outage.begin()
				g.want(t, what, status, reason, append(outage.words, strings.Split(before, "\nNext step")...)...)
				g.time.SetTime(start.Add(2 * time.Hour))
				g.unchanged(t, what+", an hour later")
				outage.end()
				if _, _, message := g.says(t); message != before {
					t.Errorf("after %s it says\n%s\nand before\n%s", what, message, before)
				}
			}
		})
	}
	t.Run("a cluster that is at another version since the outage began is no longer judged by the last verdict", func(t *testing.T) {
		g, _ := judged(t, "4.21.0", permits)
		g.clusterVersion(t, "4.22.0")
		g.lists.err = errors.New("cache is gone")
		g.want(t, "then", operatorv1.ConditionFalse, compat.ReasonErrorChecking, "since 2026-03-01T12:00:00Z", "cache is gone")
	})
}

func TestOutageInOtherWordsIsNoNews(t *testing.T) {
	g, _ := judged(t, "4.21.0", compass("", "4.23", "none"))
	for i := range 5 {
		g.lists.err = fmt.Errorf("attempt %d failed", i)
		g.says(t)
		if g.wrote() != (i == 0) {
			t.Errorf("at attempt %d it writes: %t", i, g.wrote())
		}
	}
}

func TestClusterVersionThatChangesUnderUsIsJudgedAnew(t *testing.T) {
	g := gateOf(t, compass("", "4.22", "none"))
	for _, each := range []struct {
		version string
		status  operatorv1.ConditionStatus
		reason  string
		words   string
	}{
		{"4.21.3", operatorv1.ConditionTrue, compat.ReasonAsExpected, "permits OpenShift 4.22"},
		{"4.21.4", operatorv1.ConditionTrue, compat.ReasonAsExpected, "permits OpenShift 4.22"},
		{"4.22.0-rc.1", operatorv1.ConditionFalse, compat.ReasonIncompatible, "blocks OpenShift 4.23 (the same release as 5.0)"},
		{"banana", operatorv1.ConditionFalse, compat.ReasonErrorChecking, `"banana"`},
		{"4.21.0-0.nightly-2026-01-31-123456", operatorv1.ConditionTrue, compat.ReasonAsExpected, "permits OpenShift 4.22"},
		{"0.0.1-snapshot", operatorv1.ConditionTrue, compat.ReasonAsExpected, "permits OpenShift 0.1"},
		{"4.22.5", operatorv1.ConditionFalse, compat.ReasonIncompatible, "- compass 1.0.0 allows at most 4.22"},
	} {
		g.clusterVersion(t, each.version)
		g.want(t, each.version, each.status, each.reason, each.words)
		want := each.version
		if each.reason == compat.ReasonErrorChecking {
			want = ""
		}
		if got := g.seen(t).Status.UpgradeGate.ClusterVersion; got != want {
			t.Errorf("at %s the verdict is recorded for %q", each.version, got)
		}
	}
}

func TestAcknowledgedRiskUnblocksUntilItExpires(t *testing.T) {
	operator := compass("1.0.x", "4.21", "4.20")
	operator.Spec.CompatibilityOverrides = []corev1alpha2.CompatibilityOverride{
		{OpenShiftVersion: "4.22", Reason: "Ada, ticket 7", Expires: &metav1.Time{Time: start.Add(time.Minute)}}}
	g := gateOf(t, operator)
	g.clusterVersion(t, "4.21.0")
	g.want(t, "at first", operatorv1.ConditionTrue, compat.ReasonAsExpected,
		"- compass 1.0.0 allows at most 4.21: overridden until 2026-03-01T12:01:00Z: Ada, ticket 7", "- compass 1.1.0 allows at most 4.20: overridden")
	if found := g.judge(); found.again != time.Minute {
		t.Errorf("it looks again in %s", found.again)
	}
	g.unchanged(t, "meanwhile")
	g.time.SetTime(start.Add(time.Minute))
	g.want(t, "after it expired", operatorv1.ConditionFalse, compat.ReasonIncompatible, "- compass 1.0.0 allows at most 4.21: update to >=1.1.0")
	g.clusterVersion(t, "4.20.0")
	g.time.SetTime(start)
	g.want(t, "at another minor version", operatorv1.ConditionFalse, compat.ReasonIncompatible, "blocks OpenShift 4.21", "- compass 1.1.0 allows at most 4.20")
}
