package scenario_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/openshift/platform-operators/pkg/scenario"
)

var configMaps = schema.GroupResource{Resource: "configmaps"}

// operatorUser is a user that a test allows everything, and whose writes it checks.
const operatorUser = "system:serviceaccount:default:operator"

// operator returns a client of a new process of operatorUser. Call it once: it also gives operatorUser all permissions.
func (s story) operator(configure func(*rest.Config)) (kubernetes.Interface, *scenario.Process) {
	s.Helper()
	_, err := s.admin.RbacV1().ClusterRoleBindings().Create(s.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "operator"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: operatorUser}},
	}, metav1.CreateOptions{})
	s.must(err)
	s.must(s.Settle())
	process := s.NewProcess(operatorUser)
	config := process.ClientConfig()
	configure(config)
	client, err := kubernetes.NewForConfig(config)
	s.must(err)
	return client, process
}

func named(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"a": "1"}}
}

func TestAWriteIsCheckedWithItsContentAndTheObjectsBeforeIt(t *testing.T) {
	for _, mediaType := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf} {
		t.Run(mediaType, func(t *testing.T) {
			run(t, nil, func(s story) {
				var seen []string
				s.Check(scenario.Checks{User: operatorUser, OnWrite: func(before *scenario.View, write scenario.Write) error {
					existing, content, uid := "new", "", ""
					if found := before.Get(write.Resource, write.Namespace, write.Name); found != nil {
						existing = fmt.Sprint(found.Object["data"])
					}
					if object := write.Object(); object != nil {
						content = fmt.Sprint(object.Object["data"])
					}
					if given := write.DeleteOptions().Preconditions; given != nil {
						uid = string(*given.UID)
					}
					seen = append(seen, strings.TrimSpace(strings.Join([]string{write.Verb, write.Name, existing, content, write.FieldManager, uid}, " ")))
					return nil
				}})
				client, _ := s.operator(func(c *rest.Config) { c.ContentType = mediaType })
				maps, ctx := client.CoreV1().ConfigMaps("default"), s.Context()
				created, err := maps.Create(ctx, named("c"), metav1.CreateOptions{FieldManager: "me"})
				s.must(err)
				_, err = maps.Get(ctx, "c", metav1.GetOptions{})
				s.must(err)
				_, err = maps.Create(ctx, named("dry"), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
				s.must(err)
				s.must(s.createConfigMap("of-the-admin"))
				created.Data["a"] = "2"
				_, err = maps.Update(ctx, created, metav1.UpdateOptions{})
				s.must(err)
				_, err = maps.Patch(ctx, "c", types.MergePatchType, []byte(`{"data":{"a":"3"}}`), metav1.PatchOptions{})
				s.must(err)
				s.must(maps.Delete(ctx, "c", metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(created.UID))}))
				want := []string{
					"create c new map[a:1] me", "update c map[a:1] map[a:2]", "patch c map[a:2] map[a:3]", "delete c map[a:3]   " + string(created.UID),
				}
				if !slices.Equal(seen, want) {
					t.Errorf("checked %q, want %q", seen, want)
				}
			})
		})
	}
}

func TestAWriteHasTheResourceVersionThatItRequires(t *testing.T) {
	run(t, nil, func(s story) {
		var seen []string
		s.Check(scenario.Checks{User: operatorUser, OnWrite: func(_ *scenario.View, write scenario.Write) error {
			seen = append(seen, write.Verb+" "+write.ResourceVersion())
			return nil
		}})
		client, _ := s.operator(func(*rest.Config) {})
		maps, ctx := client.CoreV1().ConfigMaps("default"), s.Context()
		created, err := maps.Create(ctx, named("c"), metav1.CreateOptions{})
		s.must(err)
		_, err = maps.Patch(ctx, "c", types.MergePatchType, []byte(`{"data":{"a":"2"}}`), metav1.PatchOptions{})
		s.must(err)
		earlier := created.ResourceVersion
		const accepted = "the API server accepts a write for an earlier resourceVersion"
		if _, err := maps.Update(ctx, created, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
			t.Error(accepted)
		}
		merge := fmt.Appendf(nil, `{"metadata":{"resourceVersion":%q}}`, earlier)
		if _, err := maps.Patch(ctx, "c", types.MergePatchType, merge, metav1.PatchOptions{}); !apierrors.IsConflict(err) {
			t.Error(accepted)
		}
		operations := fmt.Appendf(nil, `[{"op":"replace","path":"/metadata/resourceVersion","value":%q}]`, earlier)
		if _, err := maps.Patch(ctx, "c", types.JSONPatchType, operations, metav1.PatchOptions{}); !apierrors.IsConflict(err) {
			t.Error(accepted)
		}
		if err := maps.Delete(ctx, "c", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &earlier}}); !apierrors.IsConflict(err) {
			t.Error(accepted)
		}
		want := []string{"create ", "patch ", "update " + earlier, "patch " + earlier, "patch " + earlier, "delete " + earlier}
		if !slices.Equal(seen, want) {
			t.Errorf("checked %q, want %q", seen, want)
		}
	})
}

func TestAViolationIsReportedOnceWithTimeAndRequestAndTheRequestGoesOn(t *testing.T) {
	run(t, nil, func(s story) {
		s.Check(scenario.Checks{User: operatorUser, OnWrite: func(_ *scenario.View, write scenario.Write) error {
			if strings.HasPrefix(write.Name, "wrong") {
				return errors.New("wrong ConfigMaps are never right")
			}
			return nil
		}})
		client, _ := s.operator(func(*rest.Config) {})
		maps := client.CoreV1().ConfigMaps("default")
		for _, name := range []string{"right", "wrong", "wrong-again"} {
			_, err := maps.Create(s.Context(), named(name), metav1.CreateOptions{})
			s.must(err)
		}
		err := s.Settle()
		const want = `: wrong ConfigMaps are never right; the request was system:serviceaccount:default:operator: create configmaps "default/wrong"`
		if err == nil || !strings.HasPrefix(err.Error(), "invariant violated at 2000-01-01 00:00:") || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("Settle returned %v", err)
		}
		if found := s.Violations(); len(found) != 1 || found[0].Error() != err.Error() {
			t.Errorf("the violations are %v", found)
		}
		if got := s.configMaps(); !slices.Equal(got, []string{"right", "wrong", "wrong-again"}) {
			t.Errorf("the ConfigMaps are %q", got)
		}
	})
}

func TestViolationsAreBounded(t *testing.T) {
	run(t, nil, func(s story) {
		s.Check(scenario.Checks{User: operatorUser, OnWrite: func(_ *scenario.View, write scenario.Write) error { return errors.New(write.Name) }})
		client, _ := s.operator(func(*rest.Config) {})
		for n := range 30 {
			_, err := client.CoreV1().ConfigMaps("default").Create(s.Context(), named(fmt.Sprintf("c%d", n)), metav1.CreateOptions{})
			s.must(err)
		}
		if found := s.Violations(); len(found) != 20 || !strings.Contains(found[0].Error(), ": c0;") {
			t.Errorf("%d violations: %v", len(found), found)
		}
	})
}

// A state that is put right within a second is no violation, and one that is put right only after that is.
func TestTheStateMustHoldOneSecondAfterTheLastWrite(t *testing.T) {
	for name, test := range map[string]struct {
		after      time.Duration
		isViolated bool
	}{
		"put right after 900 ms":         {900 * time.Millisecond, false},
		"put right after 1.1 s":          {1100 * time.Millisecond, true},
		"put right when it has settled":  {30 * time.Second, true},
		"put right in the same instance": {0, false},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, nil, func(s story) {
				s.Check(scenario.Checks{User: operatorUser, AtRest: onePerPair})
				s.must(s.createConfigMap("a"))
				time.Sleep(test.after)
				s.must(s.createConfigMap("b"))
				if err := s.Settle(); (err != nil) != test.isViolated {
					t.Errorf("Settle returned %v", err)
				}
			})
		})
	}
}

// onePerPair returns an error if ConfigMap a exists and ConfigMap b does not.
func onePerPair(objects *scenario.View) error {
	if objects.Get(configMaps, "default", "a") != nil && objects.Get(configMaps, "default", "b") == nil {
		return errors.New("a has no b")
	}
	return nil
}

func TestTheStateIsCheckedWhileTheOperatorCanReact(t *testing.T) {
	for name, test := range map[string]struct {
		writes                          int // a fault refuses the first one
		wait                            time.Duration
		isKilled, isInactive, isChecked bool
	}{
		"nothing happens":               {isChecked: true},
		"the operator does not run":     {isInactive: true},
		"a fault refuses a write":       {writes: 1},
		"the write is repeated":         {writes: 2, isChecked: true},
		"not within ten minutes":        {writes: 1, wait: 11 * time.Minute, isChecked: true},
		"the writing process is killed": {writes: 1, isKilled: true, isChecked: true},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, nil, func(s story) {
				client, process := s.operator(func(*rest.Config) {})
				var checks atomic.Int64 // AtRest is called in another goroutine
				s.Check(scenario.Checks{User: operatorUser, IsActive: func() bool { return !test.isInactive }, AtRest: func(*scenario.View) error {
					checks.Add(1)
					return nil
				}})
				s.Inject(scenario.Fault{
					Match:  func(r scenario.Request) bool { return r.User == operatorUser && r.IsWrite() },
					Effect: scenario.Refuse(403, metav1.StatusReasonForbidden, 0),
				})
				for range test.writes {
					_, _ = client.CoreV1().ConfigMaps("default").Create(s.Context(), named("c"), metav1.CreateOptions{}) // the fault refuses the first one
				}
				time.Sleep(test.wait)
				if test.isKilled {
					process.Kill()
				}
				checks.Store(0)
				s.must(s.Settle())
				if isChecked := checks.Load() > 0; isChecked != test.isChecked {
					t.Errorf("the state was checked %d times", checks.Load())
				}
			})
		})
	}
}

func TestAViewHasTheObjectsOfItsRevision(t *testing.T) {
	run(t, withWidget(t), func(s story) {
		var views []*scenario.View
		s.Check(scenario.Checks{User: operatorUser, OnWrite: func(before *scenario.View, _ scenario.Write) error {
			views = append(views, before, before.Ago(time.Second), before.Ago(time.Hour))
			return nil
		}})
		client, _ := s.operator(func(*rest.Config) {})
		s.must(s.createConfigMap("a"))
		time.Sleep(2 * time.Second)
		s.must(s.createConfigMap("b"))
		_, err := client.CoreV1().ConfigMaps("default").Create(s.Context(), named("c"), metav1.CreateOptions{})
		s.must(err)

		exists := func(view *scenario.View, name string) bool {
			return view.Get(configMaps, "default", name) != nil
		}
		for i, want := range []string{"true true false", "true false false", "false false false"} {
			if got := fmt.Sprint(exists(views[i], "a"), exists(views[i], "b"), exists(views[i], "c")); got != want {
				t.Errorf("view %d has the ConfigMaps a, b, c: %s, want %s", i, got, want)
			}
			if found := views[i].Get(widgets.GroupResource(), "", "first"); found == nil || found.GetKind() != "Widget" {
				t.Errorf("in view %d, the Widget is %v", i, found)
			}
		}
		present := views[0]
		found := present.Get(configMaps, "default", "a")
		if found.GetKind() != "ConfigMap" || found.GetAPIVersion() != "v1" || found.GetResourceVersion() == "" || found.GetUID() == "" {
			t.Errorf("ConfigMap a is %v", found)
		}
		inDefault, inAll := len(present.List(configMaps, "default")), len(present.List(configMaps, ""))
		if inDefault != 3 || inAll <= inDefault { // with kube-root-ca.crt
			t.Errorf("%d ConfigMaps in namespace default, %d in all", inDefault, inAll)
		}
		if count := len(present.List(widgets.GroupResource(), "")); count != 1 {
			t.Errorf("%d Widgets", count)
		}
	})
}

func TestAnInvariantThatReadsCompactedObjectsIsNotJudged(t *testing.T) {
	run(t, nil, func(s story) {
		s.Check(scenario.Checks{User: operatorUser, OnWrite: func(before *scenario.View, write scenario.Write) error {
			view := before
			if write.Name == "compacted" {
				view = before.Ago(time.Hour)
			}
			return fmt.Errorf("the ConfigMap exists: %t", view.Get(configMaps, "kube-system", "kube-root-ca.crt") != nil)
		}})
		client, _ := s.operator(func(*rest.Config) {})
		s.must(s.Compact())
		for _, name := range []string{"compacted", "present"} {
			_, err := client.CoreV1().ConfigMaps("default").Create(s.Context(), named(name), metav1.CreateOptions{})
			s.must(err)
		}
		if found := s.Violations(); len(found) != 1 || !strings.Contains(found[0].Error(), "the ConfigMap exists: true") {
			t.Errorf("the violations are %v", found)
		}
	})
}
