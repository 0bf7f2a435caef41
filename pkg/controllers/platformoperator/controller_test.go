package platformoperator

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/component-base/metrics"
	clocktesting "k8s.io/utils/clock/testing"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1 "github.com/openshift/api/operator/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/client/clientset/versioned/fake"
	"github.com/openshift/platform-operators/pkg/resolve"
)

func wholeConfig() Config {
	return newInformers().config(fake.NewSimpleClientset(), oneCatalog{}, clocktesting.NewFakePassiveClock(time.Unix(1, 0)))
}

func TestNewNeedsEveryFieldOfItsConfig(t *testing.T) {
	if c, err := New(wholeConfig()); err != nil || c.Name() != ControllerName {
		t.Fatalf("New with all fields: %v, %v", c, err)
	}
	fields := reflect.TypeFor[Config]()
	for i := range fields.NumField() {
		name := fields.Field(i).Name
		if fields.Field(i).Type.Kind() == reflect.Bool {
			continue
		}
		config := wholeConfig()
		reflect.ValueOf(&config).Elem().Field(i).SetZero()
		c, err := New(config)
		if c != nil || err == nil {
			t.Errorf("without %s it is built", name)
			continue
		}
		if want := "field " + name + " of its Config is not set"; !strings.Contains(err.Error(), want) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

func TestNewReportsMetricsThatCannotBeRegistered(t *testing.T) {
	refused := errors.New("registered already")
	// refuse fails the registration of the given number.
	refuse := func(number int) func(metrics.StableCollector) error {
		return func(metrics.StableCollector) error {
			if number--; number == 0 {
				return refused
			}
			return nil
		}
	}
	for name, change := range map[string]func(*Config){
		platformv1alpha1.MetricBehind:       func(c *Config) { c.Register = refuse(1) },
		platformv1alpha1.MetricCondition:    func(c *Config) { c.Register = refuse(2) },
		platformv1alpha1.MetricStepDuration: func(c *Config) { c.RegisterVector = func(metrics.Registerable) error { return refused } },
	} {
		config := wholeConfig()
		change(&config)
		if _, err := New(config); !errors.Is(err, refused) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// requiring is a catalog and an inventory. The package "needy" requires a kind. Other packages are empty.
type requiring struct {
	catalogs  []resolve.Catalog
	lock      sync.Mutex
	providers []string
	kinds     []resolve.Kind
}

var bread = catalog.GVK{Group: "example.com", Version: "v1", Kind: "Bread"}

func newRequiring() *requiring {
	catalogs := oneCatalog{"1.0.0"}.For("needy")
	catalogs[0].Package.Name = "needy"
	catalogs[0].Package.Bundles[0].Requirements = []catalog.Requirement{{GVK: &bread}}
	return &requiring{catalogs: catalogs, providers: []string{"baker"}}
}

func (*requiring) Unlisted() []string { return nil }

func (r *requiring) For(pkg string) []resolve.Catalog {
	if pkg != "needy" {
		return nil
	}
	return r.catalogs
}

func (r *requiring) Providers(catalog.GVK) []resolve.ProviderHint {
	r.lock.Lock()
	defer r.lock.Unlock()
	return []resolve.ProviderHint{{Packages: r.providers}}
}

func (r *requiring) Kinds() []resolve.Kind {
	r.lock.Lock()
	defer r.lock.Unlock()
	return r.kinds
}

func (*requiring) ExternalPackages() []resolve.ExternalPackage { return nil }

// TestEachEventSyncsTheOperatorsThatItAffects runs the controller that New builds, with one worker, sends one event after the other, and
// compares which PlatformOperators each event syncs.
func TestEachEventSyncsTheOperatorsThatItAffects(t *testing.T) {
	operator := func(name, pkg string) *platformv1alpha1.PlatformOperator {
		operator := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "1", Generation: 1, Finalizers: []string{platformv1alpha1.Finalizer}}}
		operator.Spec.Package.Name = pkg
		return operator
	}
	needy, one, two, last := operator("needy", "needy"), operator("one", "shared"), operator("two", "shared"), operator("last", "last")
	all := []string{"last", "needy", "one", "two"}
	informers, world, ended := newInformers(), newRequiring(), make(chan string, 100)
	config := informers.config(fake.NewSimpleClientset(needy, one, two, last), world, clocktesting.NewFakePassiveClock(time.Unix(1, 0)))
	config.Inventory, config.Synced = world, func(name string) { ended <- name }
	for _, each := range []runtime.Object{needy, one, two, last} {
		informers.operators.put(t, each)
	}
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() { c.Run(ctx, 1) })
	defer done.Wait()
	defer cancel()
	deployment := func(name string) *corev1alpha2.BundleDeployment {
		return &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: name}}
	}
	named := func(name string) runtime.Object {
		return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name}}
	}
	// synced returns the operators that an event syncs. The next but one event marks the end: the queue keeps the order, and an event can lead
	// to a search that queues others.
	synced := func(event func()) (names []string) {
		t.Helper()
		event()
		for range 2 {
			informers.deployments.update(deployment("marker"), deployment("marker"))
			for name := ""; name != "marker"; {
				select {
				case name = <-ended:
					names = append(names, name)
				case <-time.After(soon):
					t.Fatalf("after %q nothing is synced any more", names)
				}
			}
		}
		names = slices.DeleteFunc(names, func(name string) bool { return name == "marker" })
		return slices.Compact(slices.Sorted(slices.Values(names)))
	}
	manager := func(packages ...string) *operatorv1alpha1.PlatformOperatorManager {
		return managed(func(spec *operatorv1alpha1.PlatformOperatorManagerSpec) { spec.AllowedPackages = packages })
	}
	reported := manager()
	reported.Status.Conditions = []operatorv1.OperatorCondition{{Type: "Tested"}}
	for _, test := range []struct {
		name  string
		event func()
		want  []string
	}{
		{"the ClusterVersion", func() { informers.clusterVersions.update(&configv1.ClusterVersion{}, &configv1.ClusterVersion{}) }, all},
		{"a PlatformOperator of a package that another one names, too", func() { informers.operators.update(one, one) }, []string{"one", "two"}},
		{"a PlatformOperator that has its package alone", func() { informers.operators.update(needy, needy) }, []string{"needy"}},
		{"a BundleDeployment", func() { informers.deployments.update(deployment("two"), deployment("two")) }, []string{"two"}},
		{"settings of the PlatformOperatorManager", func() { informers.managers.update(manager(), manager("a*")) }, all},
		{"the status of the PlatformOperatorManager", func() { informers.managers.update(manager(), reported) }, nil},
		{"stored limits", func() { informers.limitsChanged.update(named("limits"), named("limits")) }, all},
		{"the catalogs of a package", func() { informers.catalogsChanged.update(named("shared"), named("shared")) }, []string{"one", "two"}},
		{"the catalogs of a package that no PlatformOperator names", func() { informers.catalogsChanged.update(named("other"), named("other")) }, nil},
		{"providers that are as they were", func() { informers.providersChanged.update(named("x"), named("x")) }, nil},
		{"providers of a kind that one lacks", func() {
			world.lock.Lock()
			world.providers = []string{"grocer"}
			world.lock.Unlock()
			informers.providersChanged.update(named("x"), named("x"))
		}, []string{"needy"}},
		{"the kind that one lacks", func() {
			world.lock.Lock()
			world.kinds = []resolve.Kind{{GVK: bread}}
			world.lock.Unlock()
			informers.kindsChanged.update(named("breads"), named("breads"))
		}, []string{"needy"}},
	} {
		if diff := cmp.Diff(test.want, synced(test.event)); diff != "" {
			t.Errorf("%s syncs other PlatformOperators (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestEnqueueFunctionsIgnoreOtherObjects(t *testing.T) {
	c := built(t, wholeConfig())
	if got := c.operatorsOfSamePackage(&metav1.PartialObjectMetadata{}); got != nil {
		t.Errorf("for an object of another kind: %q", got)
	}
	if got := c.operatorsOfChangedPackage(&metav1.Status{}); got != nil {
		t.Errorf("for an object without a name: %q", got)
	}
	if got := c.allOperators(nil); got != nil {
		t.Errorf("on a cluster without PlatformOperators: %q", got)
	}
}
