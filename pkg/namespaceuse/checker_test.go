package namespaceuse

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/background"
)

type objects = map[schema.GroupVersionResource]map[string][]metav1.PartialObjectMetadata

// everything returns objects for fakeCluster.objects that a list without a field selector returns.
func everything(all ...metav1.PartialObjectMetadata) map[string][]metav1.PartialObjectMetadata {
	return map[string][]metav1.PartialObjectMetadata{"": all}
}

// checkAll checks namespaces with one question for each, and returns the answers.
func checkAll(t *testing.T, on *fakeCluster, namespaces ...string) map[string]Answer {
	t.Helper()
	answered := make(chan string, len(namespaces))
	checker := newChecker(t.Context(), on, nil, Config{Clock: clock.RealClock{}, Answered: func(owner string) { answered <- owner }, Tasks: &background.Tasks{}})
	for _, each := range namespaces {
		if _, ok := checker.Check(about(each)); ok {
			t.Fatal("there is an answer before anything was looked at")
		}
	}
	answers := map[string]Answer{}
	for range namespaces {
		owner := <-answered
		answer, ok := checker.Check(about(strings.TrimPrefix(owner, "owner-of-")))
		if !ok {
			t.Fatalf("%s was told of an answer that is not there", owner)
		}
		answers[strings.TrimPrefix(owner, "owner-of-")] = answer
	}
	return answers
}

// about returns a question about a namespace from which the removal has deleted Service "hook".
func about(namespace string) Question {
	return Question{Owner: "owner-of-" + namespace, Namespace: namespace, Removed: func(reference metav1.OwnerReference) bool { return reference.Name == "hook" }}
}

func TestHRD_S4_ANamespaceIsInUseByWhateverAnybodyMayHaveInIt(t *testing.T) {
	owned := func(name string, owners ...string) metav1.PartialObjectMetadata {
		found := object("memo", name)
		for _, each := range owners {
			found.OwnerReferences = append(found.OwnerReferences, metav1.OwnerReference{APIVersion: "v1", Kind: "Service", Name: each})
		}
		return found
	}
	going := object("memo", "going")
	going.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	pullSecret, theirs := object("memo", "builder-dockercfg-x"), object("memo", "mine")
	pullSecret.Annotations = map[string]string{"openshift.io/internal-registry-auth-token.service-account": "builder"}
	others := "type!=kubernetes.io/service-account-token,type!=kubernetes.io/dockercfg"
	notFound := map[schema.GroupVersionResource]error{memos: apierrors.NewNotFound(memos.GroupResource(), "")}
	newMemos := resource("example.com/v2/memos")
	failing := apierrors.NewInternalError(errors.New(`conversion webhook for example.com/v1, Kind=Memo failed: service "gone" not found`))
	for name, c := range map[string]struct {
		on   *fakeCluster
		want string
	}{
		"nothing is in it":                                     {&fakeCluster{}, ""},
		"what is in every namespace":                           {&fakeCluster{objects: objects{configMaps: everything(object("memo", "kube-root-ca.crt"))}}, ""},
		"a ConfigMap":                                          {&fakeCluster{objects: objects{configMaps: everything(object("memo", "kube-root-ca.crt"), object("memo", "users"))}}, `it still holds configmaps "users"`},
		"a ConfigMap in another one":                           {&fakeCluster{objects: objects{configMaps: everything(object("other", "users"))}}, ""},
		"a custom resource":                                    {&fakeCluster{objects: objects{memos: everything(object("memo", "diary"))}}, `it still holds memos.example.com "diary"`},
		"a custom resource that is being deleted":              {&fakeCluster{objects: objects{memos: everything(going)}}, ""},
		"an object of an aggregated API":                       {&fakeCluster{objects: objects{streams: everything(object("memo", "app"))}}, `it still holds imagestreams.image.openshift.io "app"`},
		"several: Kubernetes' own says most":                   {&fakeCluster{objects: objects{streams: everything(object("memo", "app")), pods: everything(object("memo", "app-0"))}}, `it still holds pods "app-0"`},
		"a Secret":                                             {&fakeCluster{objects: objects{secrets: {others: {theirs}}}}, `it still holds secrets "mine"`},
		"a pull secret that OpenShift made":                    {&fakeCluster{objects: objects{secrets: {pullSecretSelector: {pullSecret}}}}, ""},
		"a pull secret of a user's":                            {&fakeCluster{objects: objects{secrets: {pullSecretSelector: {pullSecret, theirs}}}}, `it still holds secrets "mine"`},
		"what depends on a Service that was removed":           {&fakeCluster{objects: objects{secrets: {others: {owned("hook-cert", "hook")}}}}, ""},
		"what depends on a Service of others":                  {&fakeCluster{objects: objects{secrets: {others: {owned("cert", "other")}}}}, `it still holds secrets "cert"`},
		"what depends on both":                                 {&fakeCluster{objects: objects{secrets: {others: {owned("both", "hook", "other")}}}}, `it still holds secrets "both"`},
		"an aggregated API that is not available":              {&fakeCluster{unavailable: map[string]error{"build.openshift.io": errors.New("stale GroupVersion discovery")}}, `the API server does not serve API group "build.openshift.io" at the moment, and the namespace may hold objects of that group: "stale GroupVersion discovery"`},
		"storage, of which nothing keeps a namespace":          {&fakeCluster{unavailable: map[string]error{"storage.k8s.io": errors.New("stale")}}, ""},
		"workloads that are not available":                     {&fakeCluster{unavailable: map[string]error{"apps": errors.New("stale")}}, `the API server does not serve API group "apps" at the moment, and the namespace may hold objects of that group: "stale"`},
		"metrics that are not available":                       {&fakeCluster{unavailable: map[string]error{"metrics.k8s.io": errors.New("stale")}}, ""},
		"what the manager's roles do not have, and nobody has": {&fakeCluster{denied: map[schema.GroupVersionResource]bool{memos: true}}, ""},
		"what the manager's roles do not have":                 {&fakeCluster{denied: map[schema.GroupVersionResource]bool{memos: true}, effective: 5, objects: objects{memos: everything(object("memo", "diary"))}}, `it still holds memos.example.com "diary"`},
		"what the manager may not even grant itself":           {&fakeCluster{denied: map[schema.GroupVersionResource]bool{memos: true}, grantErr: apierrors.NewForbidden(memos.GroupResource(), "", nil)}, "the manager is not permitted to list memos.example.com, and the namespace may hold some"},
		"custom resources that nobody converts any more":       {&fakeCluster{objects: objects{memos: everything(object("memo", "old"))}, fails: map[schema.GroupVersionResource]error{memos: failing}}, "it may hold memos.example.com, which cannot be listed: "},
		"such custom resources in another namespace":           {&fakeCluster{objects: objects{memos: everything(object("other", "old"))}, fails: map[schema.GroupVersionResource]error{memos: failing}}, ""},
		"a kind that has gone since discovery":                 {&fakeCluster{objects: objects{memos: everything(object("memo", "old"))}, later: []schema.GroupVersionResource{pods}, fails: notFound}, ""},
		"a kind that is not found, though discovery has it":    {&fakeCluster{objects: objects{memos: everything(object("memo", "old"))}, fails: notFound}, "it may hold memos.example.com, which the API server does not list"},
		"a kind that moved to another version": {&fakeCluster{
			objects: objects{memos: everything(object("memo", "old")), newMemos: everything(object("memo", "old"))}, later: []schema.GroupVersionResource{newMemos}, fails: notFound}, `it still holds memos.example.com "old"`},
		"an aggregated API that wants something else than a list": {&fakeCluster{objects: objects{streams: everything(object("memo", "app"))}, fails: map[schema.GroupVersionResource]error{streams: apierrors.NewBadRequest("a selector is required")}}, "it may hold imagestreams.image.openshift.io, which cannot be listed: "},
		"an aggregated API that never answers":                    {&fakeCluster{hangs: map[schema.GroupVersionResource]bool{streams: true}}, "it may hold imagestreams.image.openshift.io, which cannot be listed: "},
		"a right that another API server learns of later":         {&fakeCluster{denied: map[schema.GroupVersionResource]bool{memos: true}, lag: 3}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				on := c.on
				on.served = []schema.GroupVersionResource{streams, memos, configMaps, secrets, pods}
				// A second namespace makes the check begin with lists of the whole cluster.
				for _, namespaces := range [][]string{{"memo"}, {"memo", "empty"}} {
					on.asked = 0
					answers := checkAll(t, on, namespaces...)
					got := answers["memo"]
					if got.Err != nil || !strings.HasPrefix(got.InUse, c.want) || c.want == "" && got.InUse != "" {
						t.Errorf("of %d namespaces: got %+v, want %q", len(namespaces), got, c.want)
					}
					if len(on.granted) > 0 {
						t.Errorf("the right to list %v is left", on.granted)
					}
				}
			})
		})
	}
}

func TestAnAPIServerThatIsDownGivesNoAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := apierrors.NewInternalError(errors.New("etcdserver: leader changed"))
		on := &fakeCluster{served: []schema.GroupVersionResource{configMaps}, fails: map[schema.GroupVersionResource]error{configMaps: down}, objects: objects{configMaps: everything(object("memo", "kube-root-ca.crt"))}}
		if got := checkAll(t, on, "memo")["memo"]; !errors.Is(got.Err, down) || got.InUse != "" {
			t.Errorf("got %+v", got)
		}
	})
}

func TestARightThatNeverBecomesEffectiveGivesNoAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := &fakeCluster{served: []schema.GroupVersionResource{configMaps, memos}, effective: 1000}
		if got := checkAll(t, on, "memo")["memo"]; got.Err == nil || !strings.Contains(got.Err.Error(), RoleName) {
			t.Errorf("got %+v", got)
		}
	})
}

func TestASlowAPIHoldsUpOneCheckAndNotForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := &fakeCluster{served: []schema.GroupVersionResource{configMaps, streams}, hangs: map[schema.GroupVersionResource]bool{streams: true}}
		var names []string
		for i := range 100 {
			names = append(names, fmt.Sprint("memo-", i))
		}
		begun := time.Now() // virtual
		for name, got := range checkAll(t, on, names...) {
			if !strings.Contains(got.InUse, "imagestreams") {
				t.Errorf("%s: %+v", name, got)
			}
		}
		if took := time.Since(begun); took > 2*otherTimeout {
			t.Errorf("it took %s", took)
		}
	})
}

func TestTheAgeOfAnAnswerCountsFromTheListsOfKubernetesOwnKinds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := &fakeCluster{served: []schema.GroupVersionResource{configMaps, streams}, hangs: map[schema.GroupVersionResource]bool{streams: true}}
		checkAll(t, on, "memo")
		if on.lists[configMaps] != 2 {
			t.Errorf("ConfigMaps were listed %d times, before and after what took long", on.lists[configMaps])
		}
	})
}

func TestWhatAnEarlierProcessLeftIsRevokedWhenThatSucceeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := &fakeCluster{granted: []schema.GroupVersionResource{memos}, revokeErrs: 5}
		newChecker(t.Context(), on, nil, Config{Clock: clock.RealClock{}, Answered: func(string) {}, Tasks: &background.Tasks{}}).CleanUp(t.Context())
		if len(on.granted) > 0 || on.revokes != 6 {
			t.Errorf("%v is left after %d tries", on.granted, on.revokes)
		}
	})
}

func TestARightThatCannotBeRevokedIsRevokedLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := &fakeCluster{served: []schema.GroupVersionResource{memos}, revokeErrs: 3}
		checkAll(t, on, "memo")
		time.Sleep(time.Minute) // virtual
		synctest.Wait()
		if len(on.granted) > 0 {
			t.Errorf("%v is left after %d tries", on.granted, on.revokes)
		}
	})
}

func TestManyNamespacesAreCheckedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := &fakeCluster{served: []schema.GroupVersionResource{configMaps, memos, pods}, objects: objects{}, denied: map[schema.GroupVersionResource]bool{memos: true}}
		var names []string
		var inside []metav1.PartialObjectMetadata
		for i := range 100 {
			names = append(names, fmt.Sprintf("memo-%03d", i))
			inside = append(inside, object(names[i], "kube-root-ca.crt"))
		}
		on.objects[configMaps] = everything(append(inside, object("memo-007", "users"))...)
		for name, got := range checkAll(t, on, names...) {
			if want := map[string]string{"memo-007": `it still holds configmaps "users"`}[name]; got.InUse != want || got.Err != nil {
				t.Errorf("%s: %+v", name, got)
			}
		}
		if on.requests() > 5 {
			t.Errorf("%d requests: %v", on.requests(), on.lists)
		}
	})
}

func TestAListOfTheWholeClusterIsGivenUpWhenItIsLongerThanThatOfEachNamespace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all []metav1.PartialObjectMetadata
		for i := range 1000 {
			all = append(all, object("busy", fmt.Sprint(i)))
		}
		on := &fakeCluster{served: []schema.GroupVersionResource{pods}, perPage: 10, objects: objects{pods: everything(append(all, object("used", "x"))...)}}
		answers := checkAll(t, on, "a", "b", "used")
		if answers["a"].InUse != "" || answers["b"].InUse != "" || answers["used"].InUse != `it still holds pods "x"` {
			t.Errorf("%+v", answers)
		}
		if on.requests() != 3+3 {
			t.Errorf("%d requests", on.requests())
		}
	})
}

func TestAnAnswerIsGivenOnceAndNotForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := &fakeCluster{served: []schema.GroupVersionResource{pods}}
		tasks := &background.Tasks{}
		checker := newChecker(t.Context(), on, nil, Config{Clock: clock.RealClock{}, Answered: func(string) {}, Tasks: tasks})
		check := func(want bool) {
			t.Helper()
			if answer, ok := checker.Check(about("memo")); ok != want {
				t.Fatalf("%+v, %v", answer, ok)
			}
		}
		settle := func() { time.Sleep(time.Minute); synctest.Wait() } // virtual time
		check(false)
		check(false)
		if err := tasks.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		check(true)
		check(false)
		settle()
		check(false) // a minute old
		checker.Forget("owner-of-memo")
		settle()
		if len(checker.pending) > 0 || checker.running {
			t.Errorf("%d questions are left, running is %v", len(checker.pending), checker.running)
		}
	})
}

func TestCheckersEndWithTheirContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		checker := newChecker(ctx, &fakeCluster{}, nil, Config{Clock: clock.RealClock{}, Answered: func(string) { t.Error("answered") }, Tasks: &background.Tasks{}})
		checker.Check(about("memo"))
		end()
		synctest.Wait()
	})
}

func TestWhichKindsKeepANamespace(t *testing.T) {
	for text, want := range map[string]bool{
		"pods": true, "secrets": true, "persistentvolumeclaims": true, "deployments.apps": true, "replicasets.apps": true, "ingresses.networking.k8s.io": true,
		"events": false, "leases.coordination.k8s.io": false, "endpointslices.discovery.k8s.io": false, "networkpolicies.networking.k8s.io": false,
		"rolebindings.rbac.authorization.k8s.io": false, "resourcequotas": false,
		"memos.example.com": true, "imagestreams.image.openshift.io": true, "routes.route.openshift.io": true, "templates.template.openshift.io": true,
		"pods.metrics.k8s.io": false, "packagemanifests.packages.operators.coreos.com": false, "rolebindings.authorization.openshift.io": false,
		"appliedclusterresourcequotas.quota.openshift.io": false,
	} {
		if got := IsListed(schema.ParseGroupResource(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestRulesHaveOneEntryAGroup(t *testing.T) {
	got := fmt.Sprint(listRules([]schema.GroupVersionResource{streams, memos, resource("example.com/v1/acts")}))
	want := "[{[list] [example.com] [acts memos] [] []} {[list] [image.openshift.io] [imagestreams] [] []}]"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
