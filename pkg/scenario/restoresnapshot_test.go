package scenario_test

import (
	"errors"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/workloads"
)

func TestARestoredClusterHasTheObjectsOfTheSnapshot(t *testing.T) {
	for kind := range informerKinds {
		t.Run(kind, func(t *testing.T) {
			run(t, nil, func(s story) {
				s.grantObserver()
				s.write("create kept 1", "create deleted 1")
				seen, stop := s.observe(kind, configMapResource)
				defer stop()
				configMaps := s.admin.CoreV1().ConfigMaps("default")
				before, err := configMaps.Get(s.Context(), "kept", metav1.GetOptions{})
				s.must(err)
				snapshot := s.Snapshot()
				s.write("update kept 2", "delete deleted", "create later 1")
				future, err := configMaps.Get(s.Context(), "kept", metav1.GetOptions{})
				s.must(err)
				s.equal("the informer's cache before", seen.cached(), "map[kept:2 later:1]")

				s.must(s.RestoreSnapshot(snapshot))
				time.Sleep(time.Minute) // the back-off of informers
				s.equal("the informer's cache", seen.cached(), "map[deleted:1 kept:1]")
				after, err := configMaps.Get(s.Context(), "kept", metav1.GetOptions{})
				s.must(err)
				if after.ResourceVersion != before.ResourceVersion || after.UID != before.UID {
					t.Errorf("the object has resourceVersion %s and UID %s, in the snapshot it had %s and %s", after.ResourceVersion, after.UID, before.ResourceVersion, before.UID)
				}
				if _, err := configMaps.Update(s.Context(), future, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
					t.Errorf("an update of a version that is gone: %v", err)
				}
				after.Labels["v"] = "3"
				_, err = configMaps.Update(s.Context(), after, metav1.UpdateOptions{})
				s.must(err)
				s.equal("the informer's cache after an update", seen.cached(), "map[deleted:1 kept:3]")
			})
		})
	}
}

func TestARestoredClusterServesTheKindsOfTheSnapshot(t *testing.T) {
	run(t, withWidget(t), func(s story) {
		definitions, err := clientset.NewForConfig(s.ClientConfig(scenario.AdminUser))
		s.must(err)
		served := func() error {
			_, err := s.dynamic.Resource(widgets).Get(s.Context(), "first", metav1.GetOptions{})
			return err
		}
		discovered := func() bool {
			groups, err := s.admin.Discovery().ServerGroups()
			s.must(err)
			return slices.ContainsFunc(groups.Groups, func(group metav1.APIGroup) bool { return group.Name == widgets.Group })
		}
		s.must(s.Settle())
		with := s.Snapshot()
		s.must(definitions.ApiextensionsV1().CustomResourceDefinitions().Delete(s.Context(), "widgets.example.com", metav1.DeleteOptions{}))
		s.must(s.Settle())
		if err := served(); !apierrors.IsNotFound(err) || discovered() {
			t.Errorf("after the deletion of the definition: %v, discovered %t", err, discovered())
		}
		without := s.Snapshot()
		s.must(s.RestoreSnapshot(with))
		if err := served(); err != nil || !discovered() {
			t.Errorf("after the definition was restored: %v, discovered %t", err, discovered())
		}
		s.must(s.RestoreSnapshot(without))
		if err := served(); !apierrors.IsNotFound(err) || discovered() {
			t.Errorf("after the cluster without the definition was restored: %v, discovered %t", err, discovered())
		}
	})
}

func TestARestoredClusterForgetsPermissions(t *testing.T) {
	run(t, nil, func(s story) {
		s.must(s.Settle())
		snapshot := s.Snapshot()
		s.grantObserver()
		client := s.observerClient()
		_, err := client.CoreV1().Secrets("default").List(s.Context(), metav1.ListOptions{})
		s.must(err)
		s.must(s.RestoreSnapshot(snapshot))
		if _, err := client.CoreV1().Secrets("default").List(s.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
			t.Errorf("got %v", err)
		}
	})
}

func TestTheControllersOfARestoredClusterGoOn(t *testing.T) {
	run(t, nil, func(s story) {
		s.must(s.SetPodBehavior(func(*corev1.Pod) workloads.Behavior { return workloads.Behavior{Waiting: "ImagePullBackOff"} }))
		create := func(name string) *appsv1.Deployment {
			selector, template := podTemplate(name, "one")
			deployment, err := s.admin.AppsV1().Deployments("default").Create(s.Context(), &appsv1.Deployment{
				ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: appsv1.DeploymentSpec{Selector: selector, Template: template},
			}, metav1.CreateOptions{})
			s.must(err)
			s.must(s.Settle())
			return deployment
		}
		kept := create("kept")
		snapshot := s.Snapshot()
		create("later")
		s.must(s.admin.AppsV1().Deployments("default").Delete(s.Context(), kept.Name, metav1.DeleteOptions{}))
		s.equal("the Pods before", s.pods(), "[one ImagePullBackOff]")
		s.must(s.RestoreSnapshot(snapshot))
		s.equal("the Pods of the Deployment that is back", s.pods(), "[one ImagePullBackOff]")
		again, err := s.admin.AppsV1().Deployments("default").List(s.Context(), metav1.ListOptions{})
		s.must(err)
		if len(again.Items) != 1 || again.Items[0].UID != kept.UID {
			t.Errorf("the Deployments are %v", again.Items)
		}
		create("new")
		s.equal("the Pods with a new Deployment", s.pods(), "[one ImagePullBackOff one ImagePullBackOff]")
		s.must(s.admin.AppsV1().Deployments("default").Delete(s.Context(), "new", metav1.DeleteOptions{}))
		s.must(s.admin.AppsV1().Deployments("default").Delete(s.Context(), "kept", metav1.DeleteOptions{}))
		s.equal("the Pods at the end", s.pods(), "[]")
	})
}

func TestRequestsAreRefusedWhileTheServerRestarts(t *testing.T) {
	run(t, nil, func(s story) {
		s.must(s.Settle())
		var refused, answered int
		var writing sync.WaitGroup
		stop := make(chan struct{})
		writing.Go(func() {
			for ; ; time.Sleep(100 * time.Millisecond) {
				select {
				case <-stop:
					return
				default:
				}
				switch err := s.createConfigMap("a"); {
				case err == nil || apierrors.IsAlreadyExists(err):
					answered++
				case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ECONNRESET): // the latter if it was in flight
					refused++
				default:
					t.Errorf("got %v", err)
				}
			}
		})
		s.must(s.RestoreSnapshot(s.Snapshot()))
		time.Sleep(time.Second)
		close(stop)
		writing.Wait()
		if refused < 15 || answered < 5 {
			t.Errorf("%d requests were refused, and %d answered", refused, answered)
		}
	})
}

func TestAClusterIsRestoredTwice(t *testing.T) {
	run(t, nil, func(s story) {
		s.write("create a 1")
		first := s.Snapshot()
		s.write("update a 2")
		second := s.Snapshot()
		for _, test := range []struct {
			snapshot *scenario.Snapshot
			want     string
		}{{first, "[a 1]"}, {second, "[a 2]"}, {first, "[a 1]"}} {
			before := s.Revision()
			s.must(s.RestoreSnapshot(test.snapshot))
			list, err := s.admin.CoreV1().ConfigMaps("default").List(s.Context(), metav1.ListOptions{})
			s.must(err)
			s.equal("the ConfigMaps", names(list), test.want)
			if s.Revision() <= before {
				t.Errorf("the revision fell from %d to %d", before, s.Revision())
			}
		}
		if err := s.RestoreSnapshot(nil); err == nil {
			t.Error("restoring no snapshot is no error")
		}
	})
}

func TestAClusterStartsFromASnapshotOfARestoredOne(t *testing.T) {
	var snapshot *scenario.Snapshot
	run(t, nil, func(s story) {
		s.write("create a 1")
		past := s.Snapshot()
		s.write("update a 2")
		s.must(s.RestoreSnapshot(past))
		snapshot = s.Snapshot()
	})
	run(t, snapshot, func(s story) {
		s.write("update a 3")
		list, err := s.admin.CoreV1().ConfigMaps("default").List(s.Context(), metav1.ListOptions{})
		s.must(err)
		s.equal("the ConfigMaps", names(list), "[a 3]")
	})
}
