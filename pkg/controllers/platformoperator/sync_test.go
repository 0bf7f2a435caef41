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
	"k8s.io/client-go/tools/record"
	clocktesting "k8s.io/utils/clock/testing"

	configv1 "github.com/openshift/api/config/v1"
	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/client/clientset/versioned/fake"
	"github.com/openshift/platform-operators/pkg/deploymentspec"
	"github.com/openshift/platform-operators/pkg/limits"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgradestep"
	"github.com/openshift/platform-operators/test/steptest"
)

// oneCatalog is a catalog whose package "op" has these versions.
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

func (oneCatalog) Providers(catalog.GVK) []resolve.ProviderHint { return nil }

// keyed is a sync context with a queue key.
type keyed struct {
	factory.SyncContext
	key string
}

func (k keyed) QueueKey() string { return k.key }

// cluster has the objects of an API server: one PlatformOperator and, unless deployment is nil, its BundleDeployment.
type cluster struct {
	operator   *platformv1alpha1.PlatformOperator
	deployment *corev1alpha2.BundleDeployment
	refuse     error
	// manager is the PlatformOperatorManager; nil if there is none. limits are the stored limits; the zero value means that there were
	// never any.
	manager *operatorv1alpha1.PlatformOperatorManager
	limits  limits.Stored
	// version is the version of the ClusterVersion; empty for a cluster without one. now is the time of the sync; zero means a time in
	// 2026.
	version string
	now     time.Time

	// writes and events are the writes and the Events of the last sync.
	writes, events []string
	// queued is the number of keys that the last sync queued.
	queued int
}

// storedLimits returns limits, or a record without limits if they are the zero value.
func (c *cluster) storedLimits() (limits.Stored, error) {
	if c.limits == (limits.Stored{}) {
		return limits.Stored{Record: &limits.Record{UID: "before"}}, nil
	}
	return c.limits, nil
}

// sync runs one sync of the controller, with current caches, and stores its writes in the cluster.
func (c *cluster) sync(t *testing.T, catalogs Catalogs) {
	t.Helper()
	if c.now.IsZero() {
		c.now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	clock := clocktesting.NewFakePassiveClock(c.now)
	informers := newInformers()
	if c.manager != nil {
		informers.managers.put(t, c.manager)
	}
	if c.version != "" {
		version := &configv1.ClusterVersion{ObjectMeta: metav1.ObjectMeta{Name: "version"}}
		version.Status.Desired.Version = c.version
		informers.clusterVersions.put(t, version)
	}
	informers.operators.put(t, c.operator)
	objects := []runtime.Object{c.operator.DeepCopy()}
	if c.deployment != nil {
		objects = append(objects, c.deployment.DeepCopy())
		informers.deployments.put(t, c.deployment)
	}
	client := fake.NewSimpleClientset(objects...)
	client.PrependReactor("update", "bundledeployments", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if updated := action.(clienttesting.UpdateAction).GetObject().(*corev1alpha2.BundleDeployment); !equality.Semantic.DeepEqual(updated.Spec, c.deployment.Spec) {
			updated.Generation++ // as the API server does
		}
		return false, nil, nil
	})
	if c.refuse != nil {
		client.PrependReactor("create", "bundledeployments", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, c.refuse })
	}
	recorder := record.NewFakeRecorder(100)
	config := informers.config(client, catalogs, clock)
	config.Limits, config.Events = c.storedLimits, recorder
	controller := built(t, config)
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
	for len(recorder.Events) > 0 {
		c.events = append(c.events, strings.Fields(<-recorder.Events)[1])
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

// running returns a cluster whose BundleDeployment has this version active. installed is the version in the PlatformOperator's status;
// empty for none.
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

func TestVersionThatWasReachedIsReportedBeforeTheNextStep(t *testing.T) {
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
				t.Errorf("the move to %s started before status reported 1.1.0", got)
			}
			c.sync(t, oneCatalog{"1.0.0", "1.1.0", "1.2.0"})
			if got := upgradestep.RecordedBundle(c.deployment).Version; got != "1.2.0" {
				t.Errorf("then it moves to %s, want 1.2.0", got)
			}
			if got := c.installed(); got != "1.1.0" {
				t.Errorf("then status.installed is %q, want 1.1.0", got)
			}
		})
	}
}

// wantRecord fails the test unless the BundleDeployment records this version.
func (c *cluster) wantRecord(t *testing.T, version string) {
	t.Helper()
	if c.deployment == nil {
		t.Fatalf("there is no BundleDeployment, want one of %s", version)
	}
	record := upgradestep.RecordedBundle(c.deployment)
	if record == nil {
		t.Fatalf("the BundleDeployment has no readable record, want one of %s", version)
	}
	if record.Version != version {
		t.Errorf("the BundleDeployment records %s, want %s", record.Version, version)
	}
}

func TestUnreadableRecordIsRestoredFromStatus(t *testing.T) {
	c := running("1.0.0", "1.0.0")
	meta.SetStatusCondition(&c.deployment.Status.Conditions, metav1.Condition{Type: "Healthy", Status: metav1.ConditionFalse, Reason: "Test", Message: "crashes"})
	c.deployment.Annotations[platformv1alpha1.AnnotationBundle] = "{edited"
	c.operator.Spec.Paused = true
	c.sync(t, oneCatalog{"1.0.0", "1.1.0"})
	c.wantRecord(t, "1.0.0")
	if !c.deployment.Spec.Paused {
		t.Error("the BundleDeployment is not paused")
	}
	c.operator.Spec.Paused = false
	c.deployment.Annotations[platformv1alpha1.AnnotationBundle] = "{edited"
	c.sync(t, oneCatalog{"1.0.0", "1.1.0"})
	c.wantRecord(t, "1.0.0") // an unreadable record is no reason to change an unhealthy version
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
	if installed == nil {
		t.Fatal("there is no condition Installed")
	}
	if installed.Reason != platformv1alpha1.ReasonValidationFailed {
		t.Errorf("Installed has reason %s: %s", installed.Reason, installed.Message)
	}
	if !strings.Contains(installed.Message, "op-system") {
		t.Errorf("Installed does not name the namespace: %s", installed.Message)
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
	if progressing.Reason != platformv1alpha1.ReasonBlocked {
		t.Errorf("Progressing has reason %s: %s", progressing.Reason, progressing.Message)
	}
	if !strings.Contains(progressing.Message, "somebody else's") {
		t.Errorf("Progressing does not say why: %s", progressing.Message)
	}
	if got := c.installed(); got != "1.0.0" {
		t.Errorf("status.installed is %q, want 1.0.0", got)
	}
}

// asJSON returns a value as JSON, as an annotation has it.
func asJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// nothingElse is an Inventory without kinds and packages.
type nothingElse struct{}

func (nothingElse) Kinds() []resolve.Kind                       { return nil }
func (nothingElse) ExternalPackages() []resolve.ExternalPackage { return nil }
