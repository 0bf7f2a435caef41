package bundledeployment

import (
	"context"
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/kubernetes/fake"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/component-base/metrics"
	clocktesting "k8s.io/utils/clock/testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/background"
	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/bundle/formats"
	corefake "github.com/openshift/platform-operators/pkg/client/clientset/versioned/fake"
	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
	platformlisters "github.com/openshift/platform-operators/pkg/client/listers/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/crdsafety"
	"github.com/openshift/platform-operators/pkg/deploymentmetrics"
	"github.com/openshift/platform-operators/pkg/drift"
	"github.com/openshift/platform-operators/pkg/plan"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/revisions"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/store"
	"github.com/openshift/platform-operators/pkg/storedobjects"
	"github.com/openshift/platform-operators/pkg/unpack"
)

// fakeEngine is an engine that returns the results in its fields.
type fakeEngine struct {
	report    apply.Report
	err       error
	observed  apply.Report
	removal   apply.Removal
	removeErr error
	unmatched []drift.Unmatched
	missing   []corev1alpha2.MissingPermission
	// selfGranted are permissions that the revision's own ClusterRoles grant and that are missing. options are those of the last check.
	selfGranted []corev1alpha2.MissingPermission
	options     apply.PermissionOptions
	askErr      error
	// changes are the changed CustomResourceDefinitions, and stored is the answer about stored custom resources; nil while it is not known.
	changes   []crdsafety.Change
	stored    *storedobjects.Result
	namespace plan.InstallNamespace
	// dryRun is the result of a dry run, dryRuns the number of dry runs, and stillMissing what they found missing and is still missing.
	dryRun       apply.DryRun
	dryRuns      int
	stillMissing []corev1alpha2.MissingPermission
	// dryErr is the error of a dry run, and stillErr that of the check of what it found missing.
	dryErr, stillErr error
	// namespaceErr is the error of InstallNamespace.
	namespaceErr error
	// served are the kinds that the cluster serves.
	served sets.Set[schema.GroupVersionKind]

	// applied is the number of calls of Apply. removed is the number of objects for which Remove was called.
	applied, removed int
}

func (e *fakeEngine) Apply(context.Context, *apply.Set, apply.Options) (apply.Report, error) {
	e.applied++
	return e.report, e.err
}
func (e *fakeEngine) ServesAll(_ context.Context, _ apply.Owner, kinds []schema.GroupVersionKind) (bool, error) {
	return e.served.HasAll(kinds...), nil
}
func (e *fakeEngine) Observe(context.Context, apply.Identity, *apply.Set) apply.Report {
	return e.observed
}
func (e *fakeEngine) UnmatchedIgnores(context.Context, *apply.Set, []corev1alpha2.DriftIgnore) []drift.Unmatched {
	return e.unmatched
}
func (e *fakeEngine) Remove(_ context.Context, set *apply.Set, _ apply.RemoveOptions, _ ...*apply.Set) (apply.Removal, error) {
	e.removed += set.Len()
	return e.removal, e.removeErr
}
func (e *fakeEngine) Leftovers(context.Context, apply.Owner, string) (*apply.Set, error) {
	return apply.NewSet(apply.Owner{Name: "memo"}, "memo", nil)
}
func (e *fakeEngine) MissingPermissions(_ context.Context, _ apply.Identity, _ *apply.Set, options apply.PermissionOptions) ([]corev1alpha2.MissingPermission, error) {
	e.options = options
	if options.Applied || len(options.Reported) > 0 {
		return append(e.missing, e.selfGranted...), e.askErr
	}
	return e.missing, e.askErr
}
func (e *fakeEngine) InstallNamespace(_ context.Context, _ apply.Owner, name string) (plan.InstallNamespace, error) {
	found := e.namespace
	found.Name = name
	return found, e.namespaceErr
}
func (e *fakeEngine) ChangedDefinitions(context.Context, apply.Identity, *apply.Set) ([]crdsafety.Change, error) {
	return e.changes, nil
}
func (e *fakeEngine) StoredObjects(apply.Identity, storedobjects.Request) (storedobjects.Result, bool) {
	if e.stored == nil {
		return storedobjects.Result{}, false
	}
	return *e.stored, true
}
func (e *fakeEngine) DryRun(context.Context, apply.Identity, string, *apply.Set, apply.DryRun) (apply.DryRun, error) {
	e.dryRuns++
	return e.dryRun, e.dryErr
}
func (e *fakeEngine) StillMissing(context.Context, apply.Identity, []corev1alpha2.MissingPermission) ([]corev1alpha2.MissingPermission, error) {
	if e.stillErr != nil {
		return nil, e.stillErr
	}
	return e.stillMissing, nil
}
func (e *fakeEngine) InvalidatePermissions()                 {}
func (e *fakeEngine) KeepWatches(apply.Owner, ...*apply.Set) {}
func (e *fakeEngine) Release(string)                         {}

// fakePlans stores the plan and the roles that were saved last, and returns what is wrong with the admission policies.
type fakePlans struct {
	saved      *plan.Plan
	saves      int
	roles      string
	rolesSaves int
	notInForce string
	err        error
}

func (p *fakePlans) Save(_ context.Context, of *corev1alpha2.BundleDeployment, text *plan.Plan) ([]string, error) {
	p.saves++
	p.saved = text
	return []string{"plan-" + of.Name + "-1"}, p.err
}

func (p *fakePlans) SaveRoles(_ context.Context, _ *corev1alpha2.BundleDeployment, _, roles string) error {
	p.rolesSaves++
	p.roles = roles
	return p.err
}

func (p *fakePlans) NotInForce(context.Context) (string, error) { return p.notInForce, p.err }

// fakeAccounts has ServiceAccounts, and records the names of those whose identity was used.
type fakeAccounts struct {
	corev1client.CoreV1Interface
	used map[string]bool
}

func (a *fakeAccounts) Of(_, name, _ string) (apply.Identity, error) {
	a.used[name] = true
	return apply.Identity{Name: name}, nil
}
func (a *fakeAccounts) Forget(string) {}

// create creates a ServiceAccount in the install namespace.
func (a *fakeAccounts) create(t *testing.T, name string, uid types.UID) {
	t.Helper()
	_, err := a.ServiceAccounts("memo").Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name, UID: uid}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

// images opens each source as a name without content. It uses the poll interval of the spec.
type images struct{}

func (images) Open(spec corev1alpha2.BundleSource, _ source.Namespaces) (source.Opened, error) {
	opened := source.Opened{Name: spec.Image.Ref, Source: named(spec.Image.Ref)}
	if spec.Image.PollIntervalMinutes != nil {
		opened.PollInterval = time.Duration(*spec.Image.PollIntervalMinutes) * time.Minute
	}
	return opened, nil
}

// named is a source without content; its value is its name.
type named string

func (n named) Host() string                   { return "" }
func (n named) At(pinned string) source.Source { return named(pinned) }
func (n named) Resolve(context.Context) (source.Pinned, error) {
	return source.Pinned{}, errors.New("nothing is resolved")
}
func (n named) CheckAccess(context.Context) error           { return nil }
func (n named) Verify(context.Context, source.Origin) error { return nil }
func (n named) Fetch(context.Context, source.Target) (source.Origin, error) {
	return source.Origin{}, errors.New("nothing is fetched")
}
func (n named) Spec() corev1alpha2.BundleSource { return corev1alpha2.BundleSource{} }

// provider is a certificateFinder that always finds this provider.
type provider bundle.CertificateProvider

func (p provider) Current() (bundle.CertificateProvider, error) {
	return bundle.CertificateProvider(p), nil
}
func (p provider) Recent() (bundle.CertificateProvider, error) {
	return bundle.CertificateProvider(p), nil
}

// fixture is a sync of BundleDeployment "memo" with generation 3. The test calls its stages.
type fixture struct {
	*reconciliation
	engine *fakeEngine
	plans  *fakePlans
	// accounts has the ServiceAccounts.
	accounts *fakeAccounts
	clock    *clocktesting.FakePassiveClock
	api      *corefake.Clientset
	events   *record.FakeRecorder
	// registry has the controller's metrics.
	registry metrics.KubeRegistry
	// one is the active revision. two is a later revision that is rolling out.
	one, two *revision.Revision
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	known := metrics.NewKubeRegistry()
	registered, err := deploymentmetrics.New(known.Register)
	if err != nil {
		t.Fatal(err)
	}
	deployment := &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: "memo", UID: "uid", Generation: 3, Finalizers: []string{corev1alpha2.Finalizer}}}
	deployment.Spec.Source.Image = &corev1alpha2.ImageSource{Ref: "r/memo:v2"}
	deployment.Spec.InstallNamespace, deployment.Spec.ProvisionerClassName = "memo", "registry"
	f := &fixture{
		engine: &fakeEngine{stored: &storedobjects.Result{}}, plans: &fakePlans{}, accounts: &fakeAccounts{CoreV1Interface: fake.NewClientset().CoreV1(), used: map[string]bool{}}, clock: clocktesting.NewFakePassiveClock(time.Unix(1000, 0)),
		api: corefake.NewSimpleClientset(deployment), events: record.NewFakeRecorder(100), registry: known,
	}
	f.reconciliation = &reconciliation{
		c: &controller{
			client: f.api.CoreV1alpha2().BundleDeployments(), operators: operatorsNamed(t), classes: classesOf(t, registryClass()), deployments: deploymentsNamed(t, deployment),
			revisions: store.NewRevisions(fake.NewClientset().CoreV1().Secrets("system")), applier: f.engine, remover: f.engine, checker: f.engine, definitions: f.engine, dryRunner: f.engine, watcher: f.engine, plans: f.plans, admission: f.plans, identities: f.accounts, accounts: f.accounts, managerNamespace: "openshift-platform-operators",
			certificates: provider(""), sources: images{}, backoff: source.Backoff{First: time.Second, Last: time.Minute}, pauses: source.Backoff{First: firstPause, Last: time.Minute},
			clock: f.clock, events: f.events, metrics: registered, synced: func(string) {}, grants: func() int { return 0 }, cacheVersion: func() string { return "" }, memories: map[string]*memory{}, changedRevisions: map[string]sets.Set[int64]{}, refusedDefinitions: map[string]string{},
		},
		memory: &memory{uid: deployment.UID, loaded: true, sets: revisions.Sets{}},
		before: deployment, deployment: deployment.DeepCopy(),
	}
	f.c.memories["memo"] = f.memory
	f.c.fetches, err = source.NewJobs(t.Context(), source.JobsConfig[unpack.Request, unpack.Rendering]{
		PerHost: 1, Total: 1, Backoff: f.c.backoff, Clock: f.clock, Tasks: &background.Tasks{}, Done: func(string) {},
		Host: func(unpack.Request) string { return "" },
		Do: func(context.Context, unpack.Request) (*unpack.Rendering, error) {
			return nil, errors.New("nothing is fetched")
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	f.one, f.two = f.store(t, "1.0.0"), f.store(t, "2.0.0")
	started := metav1.Unix(1000, 0)
	f.one.Stored, f.two.Started = corev1alpha2.RevisionActive, &started
	f.before.Status.ActiveRevision = 1
	f.deployment = deployment.DeepCopy()
	f.source = desiredSource{
		desired: revision.Desired{Source: "r/memo:v2", Format: corev1alpha2.FormatRegistryV1},
		opened:  source.Opened{Name: "r/memo:v2", Source: named("r/memo:v2")},
	}
	f.machine = revision.NewMachine(revision.Input{Deployment: f.before, History: &f.memory.history, Desired: f.source.desired})
	return f
}

// store stores a revision with one ConfigMap, and returns it.
func (f *fixture) store(t *testing.T, version string) *revision.Revision {
	t.Helper()
	stored, err := f.revisions().Save(t.Context(), &store.Revision{
		Header: store.Header{
			Source: "r/memo:v" + version[:1], Resolved: "r/memo@sha256:" + version, Renderer: formats.Renderer(corev1alpha2.FormatRegistryV1), Plan: "sha256:" + version,
			Bundle: corev1alpha2.BundleMetadata{Name: "memo.v" + version, Version: version},
		},
		Objects: rendered(version),
	})
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

// decide executes the actions of the machine until it has none, with the fake engine.
func (f *fixture) decide(t *testing.T) {
	t.Helper()
	if _, err := rollOut(t.Context(), f.reconciliation); err != nil {
		t.Fatal(err)
	}
}

// recordRevisions makes the BundleDeployment on the API server list the known revisions.
func (f *fixture) recordRevisions(t *testing.T) {
	t.Helper()
	live := f.before.DeepCopy()
	live.Status.Revisions = []corev1alpha2.Revision{{Number: f.one.Number, Digest: f.one.Digest}, {Number: f.two.Number, Digest: f.two.Digest}}
	if _, err := f.api.CoreV1alpha2().BundleDeployments().UpdateStatus(t.Context(), live, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func rendered(value string) []unstructured.Unstructured {
	return []unstructured.Unstructured{{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a", "namespace": "memo"}, "data": map[string]any{"a": value},
	}}}
}

func registryClass() *corev1alpha2.ProvisionerClass {
	return &corev1alpha2.ProvisionerClass{ObjectMeta: metav1.ObjectMeta{Name: "registry"}, Spec: corev1alpha2.ProvisionerClassSpec{Provisioner: corev1alpha2.ProvisionerRegistry}}
}

func classesOf(t *testing.T, all ...*corev1alpha2.ProvisionerClass) corelisters.ProvisionerClassLister {
	t.Helper()
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	for _, each := range all {
		if err := indexer.Add(each); err != nil {
			t.Fatal(err)
		}
	}
	return corelisters.NewProvisionerClassLister(indexer)
}

func deploymentsNamed(t *testing.T, all ...*corev1alpha2.BundleDeployment) corelisters.BundleDeploymentLister {
	t.Helper()
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	for _, each := range all {
		if err := indexer.Add(each); err != nil {
			t.Fatal(err)
		}
	}
	return corelisters.NewBundleDeploymentLister(indexer)
}

// operatorsNamed returns a lister of PlatformOperators with these names.
func operatorsNamed(t *testing.T, names ...string) platformlisters.PlatformOperatorLister {
	t.Helper()
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	for _, name := range names {
		if err := indexer.Add(&platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("operator-" + name)}}); err != nil {
			t.Fatal(err)
		}
	}
	return platformlisters.NewPlatformOperatorLister(indexer)
}
