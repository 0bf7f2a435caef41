package permissions

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
	testingclock "k8s.io/utils/clock/testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/identity"
	"github.com/openshift/platform-operators/pkg/apply/livecache"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/plan"
	"github.com/openshift/platform-operators/pkg/rulesreview"
)

// judge answers access reviews with the result of may, or with err if it is set. asked is the number of reviews.
type judge struct {
	mu    sync.Mutex
	asked int
	may   func(verb, resource, namespace string) bool
	err   error
}

func (j *judge) answer(action clienttesting.Action) (bool, runtime.Object, error) {
	create, _ := action.(clienttesting.CreateAction)
	review, _ := create.GetObject().(*unstructured.Unstructured)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.asked++
	if j.err != nil {
		return true, nil, j.err
	}
	attributes, _, err := unstructured.NestedStringMap(review.Object, "spec", "resourceAttributes")
	if err != nil {
		return true, nil, err
	}
	resource := schema.GroupResource{Group: attributes["group"], Resource: attributes["resource"]}
	answer := review.DeepCopy()
	return true, answer, unstructured.SetNestedField(answer.Object, j.may(attributes["verb"], resource.String(), attributes["namespace"]), "status", "allowed")
}

// memo has a Checker, an identity, and a set of BundleDeployment memo. The set has two ConfigMaps, an object of a kind that the set
// defines, and one of a kind that is not served.
type memo struct {
	checker *Checker
	as      identity.Identity
	set     *object.Set
	clock   *testingclock.FakeClock
}

func (m memo) missing(t *testing.T) ([]corev1alpha2.MissingPermission, error) {
	t.Helper()
	return m.checker.Missing(t.Context(), m.as, m.set, Options{})
}

// discovery is the ReadPage of an API server that serves ConfigMaps, Namespaces, ClusterRoles and CustomResourceDefinitions.
func discovery(_ context.Context, path string) ([]byte, error) {
	pages := map[string]string{
		"/api/v1":                            `{"resources": [{"kind": "ConfigMap", "name": "configmaps", "namespaced": true}, {"kind": "Namespace", "name": "namespaces"}]}`,
		"/apis/rbac.authorization.k8s.io/v1": `{"resources": [{"kind": "ClusterRole", "name": "clusterroles"}]}`,
		"/apis/apiextensions.k8s.io/v1":      `{"resources": [{"kind": "CustomResourceDefinition", "name": "customresourcedefinitions"}]}`,
	}
	if page, ok := pages[path]; ok {
		return []byte(page), nil
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{}, path)
}

func newMemo(t *testing.T, j *judge) memo {
	t.Helper()
	manager := j.identity("")
	return newMemoOf(t, manager, manager)
}

// identity returns an identity whose access reviews the judge answers.
func (j *judge) identity(name string) identity.Identity {
	client := dynamicfake.NewSimpleDynamicClient(runtime.NewScheme())
	client.PrependReactor("create", accessReviews.Resource, j.answer)
	return identity.Identity{Name: name, Dynamic: client}
}

func newMemoOf(t *testing.T, manager, as identity.Identity) memo {
	t.Helper()
	clock := testingclock.NewFakeClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	unserved := unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Nobody", "metadata": map[string]any{"name": "a", "namespace": "memo"},
	}}
	own := unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Memo", "metadata": map[string]any{"name": "a", "namespace": "memo"},
	}}
	definition := unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "memos.example.com"},
		"spec": map[string]any{"group": "example.com", "scope": "Namespaced", "names": map[string]any{"kind": "Memo", "plural": "memos"},
			"versions": []any{map[string]any{"name": "v1", "served": true}}},
	}}
	set, err := object.NewSet(object.Owner{Name: "memo", Package: "memo"}, "memo", plan.Phases([]unstructured.Unstructured{
		configMap("a"), configMap("b"), definition, own, unserved,
	}))
	if err != nil {
		t.Fatal(err)
	}
	return memo{New(livecache.NewMapper(discovery, clock), manager, clock), as, set, clock}
}

func TestTheManagerWatchesWhatAnotherIdentityApplies(t *testing.T) {
	watches := func(verb, _, _ string) bool { return verb == "list" || verb == "watch" }
	writes := func(verb, _, _ string) bool { return verb != "list" && verb != "watch" }
	for name, test := range map[string]struct {
		manager, as func(verb, resource, namespace string) bool
		verbs       []string // the missing verbs of ConfigMaps
	}{
		"the manager may watch, the identity may write": {watches, writes, nil},
		"the manager may not watch":                     {writes, writes, []string{"list", "watch"}},
		"the identity may not write":                    {watches, watches, []string{"create", "delete", "get", "patch", "update"}},
	} {
		t.Run(name, func(t *testing.T) {
			manager, as := &judge{may: test.manager}, &judge{may: test.as}
			missing, err := newMemoOf(t, manager.identity(""), as.identity("memo/installer")).missing(t)
			if err != nil {
				t.Fatal(err)
			}
			var verbs []string
			for _, each := range missing {
				if each.Resource == "configmaps" {
					verbs = append(verbs, each.Verbs...)
				}
			}
			if diff := cmp.Diff(test.verbs, verbs); diff != "" {
				t.Errorf("missing verbs of ConfigMaps (-want +got):\n%s", diff)
			}
		})
	}
}

func TestENG_P7_AManagerThatMayNotImpersonateAsksNothingElse(t *testing.T) {
	manager := &judge{may: func(verb, _, _ string) bool { return verb != "impersonate" }}
	as := &judge{may: func(string, string, string) bool { return false }}
	missing, err := newMemoOf(t, manager.identity(""), as.identity("system:serviceaccount:memo:deployer")).missing(t)
	want := []corev1alpha2.MissingPermission{{Verbs: []string{"impersonate"}, Resource: "serviceaccounts", ResourceNames: []string{"deployer"}, Namespace: "memo"}}
	if diff := cmp.Diff(want, missing); diff != "" || err != nil || as.asked > 0 {
		t.Errorf("error %v, %d questions as the ServiceAccount, missing (-want +got):\n%s", err, as.asked, diff)
	}
	problem := NotPermitted("memo", "memo", missing)
	if want := `BundleDeployment memo: the manager has no permission for serviceaccounts deployer in namespace "memo" (impersonate); permit the manager to impersonate the ServiceAccount, for example: ` +
		"kubectl create rolebinding platform-operators -n memo --clusterrole=platform-operators-namespace --serviceaccount=openshift-platform-operators:platform-operators"; problem.Error() != want {
		t.Errorf("got %q, want %q", problem, want)
	}
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	all := []string{"create", "delete", "get", "list", "patch", "update", "watch"}
	where := []string{"create", "delete", "get", "patch", "update"}
	for name, test := range map[string]struct {
		may  func(verb, resource, namespace string) bool
		want []corev1alpha2.MissingPermission
	}{
		"nothing is, when everything is allowed": {func(string, string, string) bool { return true }, nil},
		"nothing is, when all is allowed where it is needed": {func(verb, _, namespace string) bool {
			return namespace != "" || verb == "list" || verb == "watch"
		}, []corev1alpha2.MissingPermission{
			{Resource: "namespaces", Verbs: where},
			{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions", Verbs: where},
			{Group: "rbac.authorization.k8s.io", Resource: "clusterroles", Verbs: where},
		}},
		"a verb": {func(verb, resource, _ string) bool { return resource != "namespaces" || verb != "patch" },
			[]corev1alpha2.MissingPermission{{Resource: "namespaces", Verbs: []string{"patch"}}}},
		"lists and watches are of the whole cluster": {func(_, resource, namespace string) bool { return resource != "configmaps" || namespace == "memo" },
			[]corev1alpha2.MissingPermission{{Resource: "configmaps", Verbs: []string{"list", "watch"}}}},
		"a kind that the set itself brings": {func(_, resource, _ string) bool { return resource != "memos.example.com" },
			[]corev1alpha2.MissingPermission{
				{Group: "example.com", Resource: "memos", Verbs: []string{"list", "watch"}},
				{Group: "example.com", Resource: "memos", Namespace: "memo", Verbs: where},
			}},
		"everything, sorted": {func(string, string, string) bool { return false }, []corev1alpha2.MissingPermission{
			{Resource: "configmaps", Verbs: []string{"list", "watch"}},
			{Resource: "configmaps", Namespace: "memo", Verbs: where},
			{Resource: "namespaces", Verbs: all},
			{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions", Verbs: all},
			{Group: "example.com", Resource: "memos", Verbs: []string{"list", "watch"}},
			{Group: "example.com", Resource: "memos", Namespace: "memo", Verbs: where},
			{Group: "rbac.authorization.k8s.io", Resource: "clusterroles", Verbs: all},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMemo(t, &judge{may: test.may})
			got, err := m.missing(t)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) == 0 {
				got = nil
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWhatIsGrantedIsRememberedAndWhatIsMissingIsAskedForAgain(t *testing.T) {
	j := &judge{may: func(verb, resource, _ string) bool { return resource != "namespaces" || verb != "patch" }}
	m := newMemo(t, j)
	look := func() (asked, missing int) {
		t.Helper()
		before := j.asked
		found, err := m.missing(t)
		if err != nil {
			t.Fatal(err)
		}
		return j.asked - before, len(found)
	}
	first, _ := look()
	if asked, missing := look(); asked != 1 || missing != 1 {
		t.Errorf("the second look asks %d times and finds %d missing, want 1 and 1; the first asked %d times", asked, missing, first)
	}
	j.may = func(string, string, string) bool { return true }
	if asked, missing := look(); asked != 1 || missing != 0 {
		t.Errorf("the look after it was granted asks %d times and finds %d missing, want 1 and 0", asked, missing)
	}
	if asked, _ := look(); asked != 0 {
		t.Errorf("everything is granted, and it asks %d times", asked)
	}
	m.clock.Step(grantedTime)
	if asked, _ := look(); asked != first {
		t.Errorf("after %s it asks %d times, want %d", grantedTime, asked, first)
	}
	m.checker.Invalidate()
	if asked, _ := look(); asked != first {
		t.Errorf("in doubt it asks %d times, want %d", asked, first)
	}
}

func TestENG_P7_AServiceAccountIsAskedEachTime(t *testing.T) {
	manager, as := &judge{may: func(string, string, string) bool { return true }}, &judge{may: func(string, string, string) bool { return true }}
	m := newMemoOf(t, manager.identity(""), as.identity("system:serviceaccount:memo:deployer"))
	if missing, err := m.missing(t); len(missing) > 0 || err != nil {
		t.Fatal(missing, err)
	}
	asked := manager.asked
	as.may = func(_, resource, _ string) bool { return resource != "configmaps" } // revoked before the approval
	missing, err := m.missing(t)
	want := []corev1alpha2.MissingPermission{{Verbs: objectVerbs, Resource: "configmaps", Namespace: "memo"}}
	if diff := cmp.Diff(want, missing); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if manager.asked > asked {
		t.Errorf("the permissions of the manager were checked again: %d access reviews", manager.asked-asked)
	}
}

func TestARulesReviewSparesAccessReviews(t *testing.T) {
	rule := func(verbs, groups, resources, names []string) map[string]any {
		list := func(of []string) []any {
			values := make([]any, len(of))
			for i := range of {
				values[i] = of[i]
			}
			return values
		}
		return map[string]any{"verbs": list(verbs), "apiGroups": list(groups), "resources": list(resources), "resourceNames": list(names)}
	}
	each, all := []string{"*"}, []string{"create", "delete", "get", "list", "patch", "update", "watch"}
	const reviewsOfOneResource, reviewsOfAll = 7, 5 * 7 // ConfigMaps, namespaces, CRDs, ClusterRoles and memos
	for name, test := range map[string]struct {
		rules []any
		err   error
		doubt bool
		want  int // access reviews
	}{
		"all are listed by name": {rules: []any{rule(all, []string{"", "example.com"}, []string{"configmaps", "namespaces", "memos"}, nil),
			rule(all, []string{"apiextensions.k8s.io"}, []string{"customresourcedefinitions"}, nil), rule(all, []string{"rbac.authorization.k8s.io"}, []string{"clusterroles"}, nil)}},
		"everything is listed":                                {rules: []any{rule(each, each, each, nil)}},
		"one resource is not listed":                          {rules: []any{rule(all, []string{"", "example.com", "rbac.authorization.k8s.io"}, each, nil)}, want: reviewsOfOneResource},
		"one verb of each is not listed":                      {rules: []any{rule(all[:6], each, each, nil)}, want: 5},
		"a rule for some names does not count":                {rules: []any{rule(all, each, each, []string{"one"})}, want: reviewsOfAll},
		"a subresource is no resource":                        {rules: []any{rule(all, each, []string{"configmaps/status", "namespaces/finalize"}, nil)}, want: reviewsOfAll},
		"nothing is listed":                                   {want: reviewsOfAll},
		"the review is denied":                                {err: apierrors.NewForbidden(rulesreview.Resource.GroupResource(), "", errors.New("no")), want: reviewsOfAll},
		"the list is not believed after something was denied": {rules: []any{rule(each, each, each, nil)}, doubt: true, want: reviewsOfAll},
	} {
		t.Run(name, func(t *testing.T) {
			j := &judge{may: func(string, string, string) bool { return true }}
			m := newMemo(t, j)
			var namespaces []string
			client, _ := m.as.Dynamic.(*dynamicfake.FakeDynamicClient)
			client.PrependReactor("create", rulesreview.Resource.Resource, func(action clienttesting.Action) (bool, runtime.Object, error) {
				create, _ := action.(clienttesting.CreateAction)
				review, _ := create.GetObject().DeepCopyObject().(*unstructured.Unstructured)
				namespace, _, _ := unstructured.NestedString(review.Object, "spec", "namespace")
				namespaces = append(namespaces, namespace)
				review.Object["status"] = map[string]any{"resourceRules": test.rules, "nonResourceRules": []any{}, "incomplete": true}
				return true, review, test.err
			})
			if test.doubt {
				m.checker.Invalidate()
			}
			for range 2 {
				if missing, err := m.missing(t); len(missing) > 0 || err != nil {
					t.Fatalf("got %v, %v", missing, err)
				}
			}
			if j.asked != test.want {
				t.Errorf("it took %d access reviews, want %d", j.asked, test.want)
			}
			if asked := len(namespaces); asked > 1 || asked == 0 && !test.doubt || test.doubt && asked > 0 {
				t.Errorf("it took %d rules reviews", asked)
			}
			for _, namespace := range namespaces {
				if errs := validation.IsDNS1123Label(namespace); namespace == "" || len(errs) == 0 {
					t.Errorf("the review is of namespace %q, which may have RoleBindings", namespace)
				}
			}
			m.clock.Step(grantedTime)
			if _, err := m.missing(t); err != nil || len(namespaces) == 0 {
				t.Errorf("after %s: %d rules reviews, %v", grantedTime, len(namespaces), err)
			}
		})
	}
}

func TestWhoCannotAskHasToTry(t *testing.T) {
	reviews := accessReviews.GroupResource()
	for name, test := range map[string]struct {
		err     error
		through bool
	}{
		"reviews are not served":  {apierrors.NewNotFound(reviews, ""), true},
		"reviews are denied":      {apierrors.NewForbidden(reviews, "", errors.New("no")), true},
		"the server has troubles": {apierrors.NewInternalError(errors.New("etcd")), false},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMemo(t, &judge{err: test.err})
			missing, err := m.missing(t)
			if len(missing) > 0 || (err == nil) != test.through {
				t.Errorf("got %v, %v", missing, err)
			}
			if err != nil && !strings.Contains(err.Error(), "asking whether the manager may") {
				t.Errorf("the error does not say what was tried: %v", err)
			}
		})
	}
}

func TestWhatIsRememberedIsBounded(t *testing.T) {
	m := newMemo(t, &judge{may: func(string, string, string) bool { return true }})
	for i := range maxGranted + 10 {
		may, err := m.checker.isPermitted(t.Context(), m.as, permission{"", schema.GroupResource{Resource: fmt.Sprint("r", i)}, "get", "", ""})
		if !may || err != nil {
			t.Fatal(may, err)
		}
	}
	if got := len(m.checker.granted); got > maxGranted {
		t.Errorf("%d rights are remembered", got)
	}
}

func TestMissingPermissionsAreTold(t *testing.T) {
	one := corev1alpha2.MissingPermission{Group: "apps", Resource: "deployments", Namespace: "memo", Verbs: []string{"create", "patch"}}
	const remedy = `; grant the permissions with a ClusterRole that has the label platform.openshift.io/aggregate-to-bundles: "true"`
	for name, test := range map[string]struct {
		missing []corev1alpha2.MissingPermission
		want    string
	}{
		"one":     {[]corev1alpha2.MissingPermission{one}, `BundleDeployment memo: the manager has no permission for deployments.apps in namespace "memo" (create, patch)` + remedy},
		"two":     {[]corev1alpha2.MissingPermission{{Resource: "pods", Verbs: []string{"get"}}, one}, "BundleDeployment memo: the manager has no permission for pods (get), and lacks one more permission, which the plan of the BundleDeployment lists" + remedy},
		"several": {[]corev1alpha2.MissingPermission{{Resource: "pods", Verbs: []string{"get"}}, one, one}, "BundleDeployment memo: the manager has no permission for pods (get), and lacks 2 more permissions, which the plan of the BundleDeployment lists" + remedy},
	} {
		t.Run(name, func(t *testing.T) {
			err := NotPermitted("memo", "memo-ns", test.missing)
			if !object.IsRefusal(err) || err.Error() != test.want {
				t.Errorf("got %v\nwant %s", err, test.want)
			}
		})
	}
	if err := NotPermitted("memo", "memo-ns", nil); err != nil {
		t.Errorf("nothing is missing, and it is told: %v", err)
	}
}

func TestWhatOneIdentityMayAnotherIsAskedFor(t *testing.T) {
	m := newMemo(t, &judge{may: func(string, string, string) bool { return true }})
	if missing, err := m.missing(t); len(missing) > 0 || err != nil {
		t.Fatalf("got %v, %v", missing, err)
	}
	tenant := &judge{may: func(_, resource, _ string) bool { return resource != "namespaces" }}
	m.as = tenant.identity("tenant")
	want := []corev1alpha2.MissingPermission{{Resource: "namespaces", Verbs: objectVerbs}}
	for range 2 {
		missing, err := m.missing(t)
		if diff := cmp.Diff(want, missing); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
}

func configMap(name string) unstructured.Unstructured {
	return unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name, "namespace": "memo"},
	}}
}
