package platformoperator

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/client/clientset/versioned/fake"
	"github.com/openshift/platform-operators/test/steptest"
)

// operatorWrites is an OperatorClient whose Get returns an object with the given UID and generation 1. A request fails with the error for its
// verb in fail, if there is one. verbs are the verbs of all writes.
type operatorWrites struct {
	uid   types.UID
	fail  map[string]error
	verbs []string
}

func (w *operatorWrites) Get(_ context.Context, name string, _ metav1.GetOptions) (*platformv1alpha1.PlatformOperator, error) {
	return &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: name, UID: w.uid, Generation: 1}}, w.fail["get"]
}

//nolint:revive // the typed client has that many arguments
func (w *operatorWrites) Patch(_ context.Context, name string, _ types.PatchType, _ []byte, _ metav1.PatchOptions, _ ...string) (*platformv1alpha1.PlatformOperator, error) {
	w.verbs = append(w.verbs, "patch")
	return &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: name}}, w.fail["patch"]
}

func (w *operatorWrites) UpdateStatus(_ context.Context, operator *platformv1alpha1.PlatformOperator, _ metav1.UpdateOptions) (*platformv1alpha1.PlatformOperator, error) {
	w.verbs = append(w.verbs, "update status")
	return operator, w.fail["update status"]
}

// deploymentWrites is a fake DeploymentClient. It records the verb of each write in verbs. If fail has an error for the verb of a request,
// the request returns it. Get returns live.
type deploymentWrites struct {
	live  *corev1alpha2.BundleDeployment
	fail  map[string]error
	verbs []string
}

func (w *deploymentWrites) Get(context.Context, string, metav1.GetOptions) (*corev1alpha2.BundleDeployment, error) {
	return w.live, w.fail["get"]
}

func (w *deploymentWrites) Create(_ context.Context, deployment *corev1alpha2.BundleDeployment, _ metav1.CreateOptions) (*corev1alpha2.BundleDeployment, error) {
	w.verbs = append(w.verbs, "create")
	return deployment, w.fail["create"]
}

func (w *deploymentWrites) Update(_ context.Context, deployment *corev1alpha2.BundleDeployment, _ metav1.UpdateOptions) (*corev1alpha2.BundleDeployment, error) {
	w.verbs = append(w.verbs, "update")
	return deployment, w.fail["update"]
}

func (w *deploymentWrites) Delete(context.Context, string, metav1.DeleteOptions) error {
	w.verbs = append(w.verbs, "delete")
	return w.fail["delete"]
}

func TestWhatBecomesOfAWriteThatFails(t *testing.T) {
	resource := schema.GroupResource{Resource: "bundledeployments"}
	down := errors.New("connection refused")
	gone, conflict := apierrors.NewNotFound(resource, "op"), apierrors.NewConflict(resource, "op", down)
	invalid := apierrors.NewInvalid(schema.GroupKind{Kind: "BundleDeployment"}, "op", nil)
	absent := func(c *cluster) { c.deployment, c.operator.Status.Installed = nil, nil }
	edited := func(c *cluster) { c.deployment.Spec.OnFailure = corev1alpha2.OnFailureRollback }
	installed := func(c *cluster) { c.operator.Status.Installed = nil }
	elsewhere := func(c *cluster) {
		c.operator.Status.Installed, c.deployment.Status = nil, steptest.Deployment("Installed=False").Status
		c.operator.Spec.Install = &platformv1alpha1.Install{Namespace: "elsewhere"}
	}
	removed := func(c *cluster) { c.operator.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)} }
	released := func(c *cluster) { removed(c); c.deployment = nil }
	deletion := func(c *cluster) {
		removed(c)
		c.operator.Spec.Deletion = &corev1alpha2.Deletion{CRDs: corev1alpha2.CRDsDelete}
	}
	for name, test := range map[string]struct {
		change         func(*cluster)
		operators      map[string]error
		deployments    map[string]error
		want           string // a part of the error; empty if the sync succeeds
		wrote, wroteTo []string
	}{
		"the finalizer": {func(c *cluster) { c.operator.Finalizers = nil }, map[string]error{"patch": down}, nil,
			`adding the finalizer to PlatformOperator "op": connection refused`, []string{"patch"}, nil},
		"a creation": {absent, nil, map[string]error{"create": down},
			`deploying PlatformOperator "op": creating its BundleDeployment: connection refused`, nil, []string{"create"}},
		"a creation that the API server does not accept": {absent, nil, map[string]error{"create": invalid}, "", []string{"update status"}, []string{"create"}},
		"a creation for a PlatformOperator that is gone": {absent, map[string]error{"get": gone}, nil, "", nil, nil},
		"a creation for an earlier spec":                 {func(c *cluster) { absent(c); c.operator.Generation = 2 }, nil, nil, "", nil, nil},
		"a creation for one that cannot be read": {absent, map[string]error{"get": down}, nil,
			`deploying PlatformOperator "op": reading it before its BundleDeployment is written: connection refused`, nil, nil},
		"an update": {edited, nil, map[string]error{"update": down},
			`deploying PlatformOperator "op": updating its BundleDeployment: connection refused`, nil, []string{"update"}},
		"an update for an earlier spec":                 {func(c *cluster) { edited(c); c.operator.Generation = 2 }, nil, nil, "", nil, nil},
		"an update that the API server does not accept": {edited, nil, map[string]error{"update": invalid}, "", []string{"update status"}, []string{"update"}},
		"a move to another namespace": {elsewhere, nil, map[string]error{"delete": down},
			`deploying PlatformOperator "op": deleting its BundleDeployment, to install it in namespace "elsewhere": connection refused`, nil, []string{"delete"}},
		"a move for an earlier spec":           {func(c *cluster) { elsewhere(c); c.operator.Generation = 2 }, nil, nil, "", nil, nil},
		"a move of what has changed meanwhile": {elsewhere, nil, map[string]error{"delete": conflict}, "", []string{"update status"}, []string{"delete"}},
		"a move of what is gone":               {elsewhere, nil, map[string]error{"delete": gone}, "", []string{"update status"}, []string{"delete"}},
		"a deletion": {removed, nil, map[string]error{"delete": down},
			`removing PlatformOperator "op": deleting its BundleDeployment: connection refused`, nil, []string{"delete"}},
		"a deletion of what is gone": {removed, nil, map[string]error{"delete": gone}, "", []string{"update status"}, []string{"delete"}},
		"spec.deletion": {deletion, nil, map[string]error{"update": down},
			`removing PlatformOperator "op": handing spec.deletion on to its BundleDeployment: connection refused`, nil, []string{"update"}},
		"spec.deletion of what is gone": {deletion, nil, map[string]error{"update": gone}, "", []string{"update status"}, []string{"update", "delete"}},
		"the release": {released, map[string]error{"patch": down}, nil,
			`removing PlatformOperator "op": releasing its finalizer: connection refused`, []string{"patch"}, nil},
		"the release of what is gone":                           {released, map[string]error{"patch": gone}, nil, "", []string{"patch"}, nil},
		"status.installed from the present BundleDeployment":    {installed, nil, nil, "", []string{"update status"}, nil},
		"status.installed from a BundleDeployment that is gone": {installed, nil, map[string]error{"get": gone}, "", nil, nil},
		"status.installed from one that cannot be read": {installed, nil, map[string]error{"get": down},
			`writing the status of PlatformOperator "op": reading BundleDeployment "op": connection refused`, nil, nil},
		"the status": {edited, map[string]error{"update status": down}, nil,
			`writing the status of PlatformOperator "op": connection refused`, []string{"update status"}, []string{"update"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := running("1.0.0", "1.0.0")
			test.change(c)
			informers, clock := newInformers(), clocktesting.NewFakePassiveClock(time.Unix(1000, 0))
			informers.operators.put(t, c.operator)
			if c.deployment != nil {
				informers.deployments.put(t, c.deployment)
			}
			config := informers.config(fake.NewSimpleClientset(), oneCatalog{"1.0.0"}, clock)
			operators, deployments := &operatorWrites{uid: c.operator.UID, fail: test.operators}, &deploymentWrites{live: c.deployment, fail: test.deployments}
			config.OperatorClient, config.DeploymentClient = operators, deployments
			var synced []string
			config.Synced = func(name string) { synced = append(synced, name) }
			syncContext := factory.NewSyncContext("test", events.NewInMemoryRecorder("test", clock))
			defer syncContext.Queue().ShutDown()

			err := built(t, config).sync(t.Context(), keyed{syncContext, "op"})
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("the sync ends with %q, want %q", got, test.want)
			}
			if diff := cmp.Diff(test.wrote, operators.verbs); diff != "" {
				t.Errorf("writes of the PlatformOperator (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.wroteTo, deployments.verbs); diff != "" {
				t.Errorf("writes of the BundleDeployment (-want +got):\n%s", diff)
			}
			if strings.Join(synced, " ") != "op" {
				t.Errorf("the end of the sync is reported for %q", synced)
			}
		})
	}
}

func TestAStepStartsOnlyForThePresentPlatformOperator(t *testing.T) {
	for name, test := range map[string]struct {
		cached  func(*platformv1alpha1.PlatformOperator)
		refused error
		want    []string
	}{
		"the present one":          {func(*platformv1alpha1.PlatformOperator) {}, nil, []string{"update"}},
		"an earlier spec":          {func(o *platformv1alpha1.PlatformOperator) { o.Generation = 0 }, nil, nil},
		"one that was replaced":    {func(o *platformv1alpha1.PlatformOperator) { o.UID = "earlier" }, nil, nil},
		"one that is gone":         {func(*platformv1alpha1.PlatformOperator) {}, apierrors.NewNotFound(schema.GroupResource{}, "op"), nil},
		"one that cannot be read":  {func(*platformv1alpha1.PlatformOperator) {}, errors.New("connection refused"), nil},
		"no step, an earlier spec": {func(o *platformv1alpha1.PlatformOperator) { o.Generation = 0; o.Spec.Package.Version = "1.0.0" }, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c := running("1.0.0", "1.0.0")
			c.sync(t, oneCatalog{"1.0.0"}) // a step starts after status has been written for the version before it
			informers, clock := newInformers(), clocktesting.NewFakePassiveClock(c.now)
			operators := &operatorWrites{uid: c.operator.UID, fail: map[string]error{"get": test.refused}}
			deployments := &deploymentWrites{live: c.deployment}
			test.cached(c.operator)
			informers.operators.put(t, c.operator)
			informers.deployments.put(t, c.deployment)
			config := informers.config(fake.NewSimpleClientset(), oneCatalog{"1.0.0", "1.1.0"}, clock)
			config.OperatorClient, config.DeploymentClient = operators, deployments
			syncContext := factory.NewSyncContext("test", events.NewInMemoryRecorder("test", clock))
			defer syncContext.Queue().ShutDown()
			if err := built(t, config).sync(t.Context(), keyed{syncContext, "op"}); err != nil && !errors.Is(err, test.refused) {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, deployments.verbs); diff != "" {
				t.Errorf("writes of the BundleDeployment (-want +got):\n%s", diff)
			}
		})
	}
}

func TestInstalledIsNotReportedFromABundleDeploymentThatIsNotPresent(t *testing.T) {
	cached := &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: "op", UID: "1", ResourceVersion: "7"}}
	for name, test := range map[string]struct {
		live metav1.ObjectMeta
		want bool
	}{
		"it is the one in the cache":                      {metav1.ObjectMeta{UID: "1", ResourceVersion: "7"}, true},
		"it has changed":                                  {metav1.ObjectMeta{UID: "1", ResourceVersion: "8"}, false},
		"a restored backup has an older one of that name": {metav1.ObjectMeta{UID: "0", ResourceVersion: "5"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := &controller{deploymentClient: &deploymentWrites{live: &corev1alpha2.BundleDeployment{ObjectMeta: test.live}}}
			r := &reconciliation{operator: &platformv1alpha1.PlatformOperator{}, status: &platformv1alpha1.PlatformOperatorStatus{Installed: steptest.Bundle("1.0.0")}}
			r.current.Deployment = cached
			if got, err := c.isInstalledCurrent(t.Context(), r); err != nil || got != test.want {
				t.Errorf("got %t, %v, want %t", got, err, test.want)
			}
		})
	}
}
