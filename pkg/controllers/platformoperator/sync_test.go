package platformoperator

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	clocktesting "k8s.io/utils/clock/testing"

	configv1 "github.com/openshift/api/config/v1"
	configv1listers "github.com/openshift/client-go/config/listers/config/v1"
	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/client/clientset/versioned/fake"
	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
	operatorlisters "github.com/openshift/platform-operators/pkg/client/listers/operator/v1alpha1"
	platformlisters "github.com/openshift/platform-operators/pkg/client/listers/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/deploymentspec"
	"github.com/openshift/platform-operators/pkg/limits"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgradestep"
	"github.com/openshift/platform-operators/test/steptest"
)

// oneCatalog has these versions of package "op".
type oneCatalog []string

func (oneCatalog) Unlisted() []string { return nil }

func (versions oneCatalog) For(string) []resolve.Catalog {
	pkg := &catalog.Package{Name: "op", DefaultChannel: "stable", Channels: []catalog.Channel{{Name: "stable"}}}
	for _, v := range versions {
		pkg.Channels[0].Entries = append(pkg.Channels[0].Entries, catalog.Entry{Name: steptest.Candidate(v).Bundle.Name, SkipRange: "<" + v})
		pkg.Bundles = append(pkg.Bundles, steptest.Candidate(v).Bundle)
	}
	return []resolve.Catalog{{ID: steptest.Candidate("").Catalog, Package: pkg}}
}

func (oneCatalog) Providers(catalog.GVK) []resolve.Providers { return nil }

// keyed is a sync context with a queue key.
type keyed struct {
	factory.SyncContext
	key string
}

func (k keyed) QueueKey() string { return k.key }

// cluster is what the API server has: one PlatformOperator and its BundleDeployment, if there is one.
type cluster struct {
	operator   *platformv1alpha1.PlatformOperator
	deployment *corev1alpha2.BundleDeployment
	refuse     error
	// openShift is the cluster's version; empty is a cluster without a ClusterVersion.
	openShift string
	// manager is the manager's configuration; nil is none. limits are those that are kept; the zero value is that nothing was limited.
	manager *operatorv1alpha1.PlatformOperatorManager
	limits  limits.Stored
	// version is the ClusterVersion's; empty is a cluster without one. now is what time it is; zero is a time in 2026.
	version string
	now     time.Time

	// writes and events are what the last sync did.
	writes, events []string
	// queued is how many keys it queued.
	queued int
}

// storedLimits reads what is kept of the limits.
func (c *cluster) storedLimits() (limits.Stored, error) {
	if c.limits == (limits.Stored{}) {
		return limits.Stored{Record: &limits.Record{UID: "before"}}, nil
	}
	return c.limits, nil
}

// sync runs the controller once, with caches that are up to date.
func (c *cluster) sync(t *testing.T, catalogs Catalogs) {
	t.Helper()
	if c.now.IsZero() {
		c.now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	clock := clocktesting.NewFakePassiveClock(c.now)
	operators, deployments, versions := cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil), cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil), cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)
	managers := cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)
	if c.openShift != "" {
		version := &configv1.ClusterVersion{ObjectMeta: metav1.ObjectMeta{Name: "version"}, Status: configv1.ClusterVersionStatus{Desired: configv1.Release{Version: c.openShift}}}
		if err := versions.Add(version); err != nil {
			t.Fatal(err)
		}
	}
	if c.manager != nil {
		if err := managers.Add(c.manager); err != nil {
			t.Fatal(err)
		}
	}
	if c.version != "" {
		version := &configv1.ClusterVersion{ObjectMeta: metav1.ObjectMeta{Name: "version"}}
		version.Status.Desired.Version = c.version
		if err := versions.Add(version); err != nil {
			t.Fatal(err)
		}
	}
	objects := []runtime.Object{c.operator.DeepCopy()}
	if err := operators.Add(c.operator); err != nil {
		t.Fatal(err)
	}
	if c.deployment != nil {
		objects = append(objects, c.deployment.DeepCopy())
		if err := deployments.Add(c.deployment); err != nil {
			t.Fatal(err)
		}
	}
	client := fake.NewSimpleClientset(objects...)
	client.PrependReactor("update", "bundledeployments", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if updated := action.(clienttesting.UpdateAction).GetObject().(*corev1alpha2.BundleDeployment); !equality.Semantic.DeepEqual(updated.Spec, c.deployment.Spec) {
			updated.Generation++ // as an API server does
		}
		return false, nil, nil
	})
	if c.refuse != nil {
		client.PrependReactor("create", "bundledeployments", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, c.refuse })
	}
	controller := &controller{
		operatorClient: client.PlatformV1alpha1().PlatformOperators(), deploymentClient: client.CoreV1alpha2().BundleDeployments(),
		operators: platformlisters.NewPlatformOperatorLister(operators), deployments: corelisters.NewBundleDeploymentLister(deployments),
		clusterVersions: configv1listers.NewClusterVersionLister(versions), managers: operatorlisters.NewPlatformOperatorManagerLister(managers), limits: c.storedLimits, catalogs: catalogs, kubeVersion: "v1.36.3", clock: clock, updateMetrics: newUpdateMetrics(clock),
		inventory: nothingElse{}, tried: func(string) {}, stepMetrics: newStepMetrics(),
	}
	told := record.NewFakeRecorder(100)
	controller.events = told
	syncContext := factory.NewSyncContext("test", events.NewInMemoryRecorder("test", clock))
	defer syncContext.Queue().ShutDown()
	if err := controller.sync(context.Background(), keyed{syncContext, c.operator.Name}); err != nil {
		t.Fatal(err)
	}
	c.queued = syncContext.Queue().Len()
	c.writes, c.events = nil, nil
	for _, action := range client.Actions() {
		c.writes = append(c.writes, strings.TrimSuffix(action.GetVerb()+" "+action.GetResource().Resource+"/"+action.GetSubresource(), "/"))
	}
	for len(told.Events) > 0 {
		c.events = append(c.events, strings.Fields(<-told.Events)[1])
	}
	var err error
	if c.operator, err = client.PlatformV1alpha1().PlatformOperators().Get(context.Background(), c.operator.Name, metav1.GetOptions{}); err != nil {
		t.Fatal(err)
	}
	c.deployment, err = client.CoreV1alpha2().BundleDeployments().Get(context.Background(), c.operator.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		c.deployment, err = nil, nil
	}
	if err != nil {
		t.Fatal(err)
	}
}

// running is a cluster on which this version runs and the BundleDeployment says so; installed is what status tells of.
func running(version, installed string) *cluster {
	operator := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: "op", UID: "1", Generation: 1, Finalizers: []string{platformv1alpha1.Finalizer}}}
	operator.Spec.Package.Name = "op"
	if installed != "" {
		operator.Status.Installed = steptest.Bundle(installed)
	}
	deployment := deploymentspec.New(operator, *steptest.Bundle(version), nil, "op-system")
	deployment.Generation, deployment.Status = 1, steptest.Healthy().Status
	deployment.Status.ActiveRevision = 1
	return &cluster{operator: operator, deployment: deployment}
}

func (c *cluster) installed() string {
	if c.operator.Status.Installed == nil {
		return ""
	}
	return c.operator.Status.Installed.Version
}

func TestVersionThatWasReachedIsRecordedBeforeTheNextHop(t *testing.T) {
	for name, installed := range map[string]string{
		"the first installation, with a newer version waiting": "",
		"an upgrade, with a newer version waiting":             "1.0.0",
	} {
		t.Run(name, func(t *testing.T) {
			c := running("1.1.0", installed)
			c.sync(t, oneCatalog{"1.0.0", "1.1.0", "1.2.0"})
			if got := c.installed(); got != "1.1.0" {
				t.Errorf("1.1.0 runs and is healthy, and status.installed is %q", got)
			}
			if got := upgradestep.RecordedBundle(c.deployment).Version; got != "1.1.0" {
				t.Errorf("the move to %s began before status told of 1.1.0", got)
			}
			c.sync(t, oneCatalog{"1.0.0", "1.1.0", "1.2.0"})
			if got := upgradestep.RecordedBundle(c.deployment).Version; got != "1.2.0" || c.installed() != "1.1.0" {
				t.Errorf("then it moves to %s from %s, want to 1.2.0 from 1.1.0", got, c.installed())
			}
		})
	}
}

func TestSpoiltRecordIsPutBackFromStatus(t *testing.T) {
	c := running("1.0.0", "1.0.0")
	meta.SetStatusCondition(&c.deployment.Status.Conditions, metav1.Condition{Type: "Healthy", Status: metav1.ConditionFalse, Reason: "Test", Message: "crashes"})
	c.deployment.Annotations[platformv1alpha1.AnnotationBundle] = "{spoilt"
	c.operator.Spec.Paused = true
	c.sync(t, oneCatalog{"1.0.0", "1.1.0"})
	if record := upgradestep.RecordedBundle(c.deployment); record == nil || record.Version != "1.0.0" || !c.deployment.Spec.Paused {
		t.Errorf("while paused: the record is %+v, paused is %t", record, c.deployment.Spec.Paused)
	}
	c.operator.Spec.Paused = false
	c.deployment.Annotations[platformv1alpha1.AnnotationBundle] = "{spoilt"
	c.sync(t, oneCatalog{"1.0.0", "1.1.0"})
	if record := upgradestep.RecordedBundle(c.deployment); record == nil || record.Version != "1.0.0" {
		t.Errorf("an unhealthy version was left for %+v, only because its record was spoilt", record)
	}
}

func TestOperatorWithAnUnreadableSelectorCanBePaused(t *testing.T) {
	c := running("1.0.0", "1.0.0")
	c.operator.Spec.Paused = true
	c.operator.Spec.Package.CatalogSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Banana"}}}
	c.sync(t, oneCatalog{"1.0.0"})
	if !c.deployment.Spec.Paused {
		t.Error("the BundleDeployment goes on")
	}
}

func TestBundleDeploymentThatTheAPIRefusesIsACondition(t *testing.T) {
	c := running("1.0.0", "")
	c.deployment = nil
	c.refuse = apierrors.NewInvalid(schema.GroupKind{Kind: "BundleDeployment"}, "op", nil)
	c.sync(t, oneCatalog{"1.0.0"})
	installed := meta.FindStatusCondition(c.operator.Status.Conditions, platformv1alpha1.ConditionInstalled)
	if installed == nil || installed.Reason != platformv1alpha1.ReasonValidationFailed || !strings.Contains(installed.Message, "op-system") {
		t.Errorf("Installed is %+v", installed)
	}
}

func TestUpgradeThatTheAPIServerRefusesIsBlocked(t *testing.T) {
	c := running("1.1.0", "1.0.0")
	for _, condition := range []metav1.Condition{
		{Type: "Installed", Status: metav1.ConditionTrue, Reason: corev1alpha2.ReasonUpgradeFailed, Message: "Revision 2 is not applied: it is somebody else's."},
		{Type: "Healthy", Status: metav1.ConditionFalse, Reason: "Unhealthy", Message: "not applied"},
	} {
		meta.SetStatusCondition(&c.deployment.Status.Conditions, condition)
	}
	c.sync(t, oneCatalog{"1.0.0", "1.1.0"})
	progressing := meta.FindStatusCondition(c.operator.Status.Conditions, platformv1alpha1.ConditionProgressing)
	if progressing.Reason != platformv1alpha1.ReasonBlocked || !strings.Contains(progressing.Message, "somebody else's") || c.installed() != "1.0.0" {
		t.Errorf("with %s installed, Progressing is %s/%s: %s", c.installed(), progressing.Status, progressing.Reason, progressing.Message)
	}
}

// asJSON encodes a record as it is in annotations.
func asJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// nothingElse is a cluster that has nothing beside its operators.
type nothingElse struct{}

func (nothingElse) Kinds() []resolve.Kind      { return nil }
func (nothingElse) Foreign() []resolve.Foreign { return nil }
