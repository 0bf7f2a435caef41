package platformoperator

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/util/workqueue"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/client/clientset/versioned/fake"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/test/steptest"
)

// fleet is a cluster with many operators, one for each package. The test changes its catalogs and kinds. It implements Catalogs and
// Inventory.
type fleet struct {
	controller *controller
	client     *fake.Clientset
	clock      *clocktesting.FakePassiveClock
	informers  *informers
	syncs      factory.SyncContext
	packages   map[string]*catalog.Package
	kinds      []resolve.Kind
}

func (f *fleet) For(pkg string) []resolve.Catalog {
	return []resolve.Catalog{{ID: steptest.Candidate("").Catalog, Package: f.packages[pkg]}}
}
func (*fleet) Unlisted() []string                           { return nil }
func (*fleet) Providers(catalog.GVK) []resolve.ProviderHint { return nil }
func (f *fleet) Kinds() []resolve.Kind                      { return f.kinds }
func (*fleet) ExternalPackages() []resolve.ExternalPackage  { return nil }
func fleetKind(name string) catalog.GVK {
	return catalog.GVK{Group: "example.com", Version: "v1", Kind: name}
}
func (f *fleet) offer(pkg string, bundle ...catalog.Bundle) {
	f.packages[pkg] = fleetPackage(pkg, bundle)
}

// fleetPackage returns a package with the bundles as versions 1.0.0, 2.0.0 and so on.
func fleetPackage(pkg string, bundles []catalog.Bundle) *catalog.Package {
	made := &catalog.Package{Name: pkg, DefaultChannel: "stable", Channels: []catalog.Channel{{Name: "stable"}}}
	for i, bundle := range bundles {
		bundle.Version = fmt.Sprintf("%d.0.0", i+1)
		bundle.Name, bundle.Image = pkg+".v"+bundle.Version, "registry.example/"+pkg+"@sha256:"+bundle.Version
		made.Channels[0].Entries = append(made.Channels[0].Entries, catalog.Entry{Name: bundle.Name, SkipRange: "<" + bundle.Version})
		made.Bundles = append(made.Bundles, bundle)
	}
	return made
}

func newFleet(t *testing.T, size int) *fleet {
	t.Helper()
	f := &fleet{
		client: fake.NewSimpleClientset(), clock: clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)),
		informers: newInformers(),
		packages:  map[string]*catalog.Package{},
	}
	f.syncs = atOnce{factory.NewSyncContext("test", events.NewInMemoryRecorder("test", f.clock))}
	t.Cleanup(f.syncs.Queue().ShutDown)
	f.controller = f.restarted(t)
	for i := range size {
		operator := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("op%02d", i), UID: "1", Generation: 1, Finalizers: []string{platformv1alpha1.Finalizer}, CreationTimestamp: metav1.NewTime(f.clock.Now()),
		}}
		operator.Spec.Package.Name = operator.Name
		if _, err := f.client.PlatformV1alpha1().PlatformOperators().Create(t.Context(), operator, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := f.informers.operators.indexer.Add(operator); err != nil {
			t.Fatal(err)
		}
		f.offer(operator.Name, catalog.Bundle{ProvidedGVKs: []catalog.GVK{fleetKind("Of" + operator.Name)}})
	}
	return f
}

// atOnce is a sync context whose queue adds delayed keys, such as StaleDecisionsKey, without the delay.
type atOnce struct{ factory.SyncContext }

func (c atOnce) Queue() workqueue.RateLimitingInterface { //nolint:staticcheck // library-go's interface has the deprecated type
	return impatient{c.SyncContext.Queue()}
}

type impatient struct {
	workqueue.TypedRateLimitingInterface[any]
}

func (q impatient) AddAfter(key any, pause time.Duration) {
	if key == StaleDecisionsKey && pause == staleDecisionsDelay {
		q.Add(key)
		return
	}
	q.TypedRateLimitingInterface.AddAfter(key, pause)
}

// restarted returns a new controller with empty caches of decisions.
func (f *fleet) restarted(t *testing.T) *controller {
	t.Helper()
	config := f.informers.config(f.client, f, f.clock)
	config.Inventory = f
	return built(t, config)
}

// drain syncs these operators, and all that these syncs queue, until the queue is empty. It returns the names of the synced operators.
func (f *fleet) drain(t *testing.T, names ...string) (synced []string) {
	t.Helper()
	for _, name := range names {
		f.syncs.Queue().Add(name)
	}
	for f.syncs.Queue().Len() > 0 {
		key, _ := f.syncs.Queue().Get()
		name := fmt.Sprint(key)
		f.syncs.Queue().Done(key)
		f.clock.SetTime(f.clock.Now().Add(time.Minute)) // so that no write is delayed
		if err := f.controller.sync(t.Context(), keyed{f.syncs, name}); err != nil {
			t.Fatal(err)
		}
		if name == StaleDecisionsKey || name == clusterChangedKey {
			continue
		}
		if synced = append(synced, name); len(synced) > 5_000 {
			t.Fatal("operators enqueue one another for ever")
		}
		f.see(t, name)
	}
	return synced
}

// see updates the caches with the stored PlatformOperator and BundleDeployment of an operator.
func (f *fleet) see(t *testing.T, name string) {
	t.Helper()
	if operator, err := f.client.PlatformV1alpha1().PlatformOperators().Get(t.Context(), name, metav1.GetOptions{}); err != nil {
		t.Fatal(err)
	} else if err := f.informers.operators.indexer.Update(operator); err != nil {
		t.Fatal(err)
	}
	if deployment, err := f.client.CoreV1alpha2().BundleDeployments().Get(t.Context(), name, metav1.GetOptions{}); err == nil {
		if err := f.informers.deployments.indexer.Update(deployment); err != nil {
			t.Fatal(err)
		}
	}
}

func (f *fleet) names() []string { return slices.Sorted(slices.Values(f.controller.allOperators(nil))) }

// decidedAnew returns the number of operators for which a request of this operator needs a new decision.
func (f *fleet) decidedAnew(t *testing.T, name string) int {
	t.Helper()
	on, _, err := f.controller.readCluster()
	if err != nil {
		t.Fatal(err)
	}
	requests, err := f.controller.requests(on, "")
	if err != nil {
		t.Fatal(err)
	}
	return f.controller.decisions.Resolve(name, requests, f.controller.clusterState(f.Providers)).Decided
}

func ofPackage(name string) runtime.Object {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

func TestHRD_B2_TheCatalogOfOnePackageChangesAmongAHundredOperators(t *testing.T) {
	f := newFleet(t, 100)
	shared := []catalog.GVK{fleetKind("Shared")}
	f.offer("op97", catalog.Bundle{}, catalog.Bundle{Requirements: []catalog.Requirement{{GVK: &shared[0]}}})
	f.offer("op98", catalog.Bundle{ProvidedGVKs: shared})
	f.offer("op99", catalog.Bundle{}, catalog.Bundle{ProvidedGVKs: shared})
	f.drain(t, f.names()...)
	for _, test := range []struct {
		name   string
		change func() []string
		// synced are the operators that are synced again. The decisions about other operators remain valid.
		synced []string
	}{
		{"the catalog of a package that has to do with no other", func() []string {
			f.offer("op05", catalog.Bundle{}, catalog.Bundle{ProvidedGVKs: []catalog.GVK{fleetKind("Ofop05")}})
			return f.controller.operatorsOfChangedPackage(ofPackage("op05"))
		}, []string{"op05"}},
		{"the catalog of a package that others require or share a kind with", func() []string {
			f.offer("op98", catalog.Bundle{ProvidedGVKs: shared}, catalog.Bundle{ProvidedGVKs: shared})
			return f.controller.operatorsOfChangedPackage(ofPackage("op98"))
		}, []string{"op97", "op98", "op99"}},
		{"the catalog of a package that no operator names", func() []string { return f.controller.operatorsOfChangedPackage(ofPackage("other")) }, nil},
		{"a CustomResourceDefinition that affects no operator", func() []string {
			f.kinds = append(f.kinds, resolve.Kind{GVK: fleetKind("Foreign")})
			return clusterChanged(ofPackage("foreigns.example.com"))
		}, nil},
		{"a CustomResourceDefinition of a kind that one provides", func() []string {
			f.kinds = append(f.kinds, resolve.Kind{GVK: fleetKind("Ofop06"), Operator: "op06"})
			return clusterChanged(ofPackage("ofop06s.example.com"))
		}, []string{"op06"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			keys := test.change()
			for _, name := range f.names() {
				if !slices.Contains(test.synced, name) && f.decidedAnew(t, name) > 0 {
					t.Errorf("%s would be decided again", name)
				}
			}
			synced := slices.Compact(slices.Sorted(slices.Values(f.drain(t, keys...))))
			if !slices.Equal(synced, test.synced) {
				t.Errorf("%v are synced, want %v", synced, test.synced)
			}
			for _, name := range f.names() {
				if again := f.decidedAnew(t, name); again > 0 {
					t.Errorf("%s: %d operators would be decided again", name, again)
				}
			}
		})
	}
}

func TestARemovalSyncsTheOperatorsThatDependedOnIt(t *testing.T) {
	f := newFleet(t, 10)
	shared := fleetKind("Shared")
	f.offer("op07", catalog.Bundle{Requirements: []catalog.Requirement{{GVK: &shared}}})
	f.offer("op08", catalog.Bundle{ProvidedGVKs: []catalog.GVK{shared}})
	f.drain(t, f.names()...)
	for _, name := range []string{"op06", "op08"} { // op06 is independent of all others
		if err := f.informers.operators.indexer.Delete(&platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
			t.Fatal(err)
		}
		if err := f.controller.sync(t.Context(), keyed{f.syncs, name}); err != nil {
			t.Fatal(err)
		}
	}
	if synced := f.drain(t); !slices.Equal(synced, []string{"op07"}) {
		t.Errorf("%v are synced, want op07, whose provider was removed", synced)
	}
}

// TestHRD_B2_StatusIsWhatANewManagerWouldWrite makes random changes, syncs only the operators that they enqueue, and then syncs all with a
// controller without cached decisions. The status must not change.
func TestHRD_B2_StatusIsWhatANewManagerWouldWrite(t *testing.T) {
	for seed := range uint64(6) {
		f := newFleet(t, 12)
		r := rand.New(rand.NewPCG(seed, 5))
		kind := func() catalog.GVK { return fleetKind(string(rune('A' + r.IntN(6)))) }
		f.drain(t, f.names()...)
		for step := range 40 {
			name := fmt.Sprintf("op%02d", r.IntN(12))
			switch r.IntN(4) {
			case 0, 1:
				var bundles []catalog.Bundle
				for range 1 + r.IntN(3) {
					bundle := catalog.Bundle{}
					if r.IntN(2) == 0 {
						bundle.ProvidedGVKs = []catalog.GVK{kind()}
					}
					if needed := kind(); r.IntN(2) == 0 {
						bundle.Requirements = []catalog.Requirement{{GVK: &needed}}
					}
					bundles = append(bundles, bundle)
				}
				f.offer(name, bundles...)
				f.drain(t, f.controller.operatorsOfChangedPackage(ofPackage(name))...)
			case 2:
				f.kinds = nil
				for range r.IntN(3) {
					f.kinds = append(f.kinds, resolve.Kind{GVK: kind(), Operator: []string{"", name}[r.IntN(2)]})
				}
				f.drain(t, clusterChanged(nil)...)
			default:
				operator, err := f.client.PlatformV1alpha1().PlatformOperators().Get(t.Context(), name, metav1.GetOptions{})
				if err != nil {
					t.Fatal(err)
				}
				operator.Generation++
				operator.Spec.Package.Version = []string{"", "1.x", ">=2.0.0"}[r.IntN(3)]
				if _, err := f.client.PlatformV1alpha1().PlatformOperators().Update(t.Context(), operator, metav1.UpdateOptions{}); err != nil {
					t.Fatal(err)
				}
				f.see(t, name)
				f.drain(t, f.controller.operatorsOfSamePackage(operator)...)
			}
			f.client.ClearActions()
			kept := f.controller
			f.controller = f.restarted(t)
			f.drain(t, f.names()...)
			f.controller = kept
			for _, action := range f.client.Actions() {
				if action.GetVerb() != "get" {
					t.Fatalf("seed %d, step %d: a new manager would %s %s: %v", seed, step, action.GetVerb(), action.GetResource().Resource, action)
				}
			}
		}
	}
}
