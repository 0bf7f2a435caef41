package builtin_test

import (
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

func TestANamespaceTerminatesUntilItIsFinalized(t *testing.T) {
	inCluster(t, func(c cluster) {
		namespaces := c.CoreV1().Namespaces()
		namespace, err := namespaces.Get(c.Context(), "a", metav1.GetOptions{})
		c.must(err)
		for name, preconditions := range map[string]metav1.Preconditions{
			"another UID":             {UID: ptr.To[types.UID]("other")},
			"another resourceVersion": {ResourceVersion: ptr.To("1")},
		} {
			if err := namespaces.Delete(c.Context(), "a", metav1.DeleteOptions{Preconditions: &preconditions}); !apierrors.IsConflict(err) {
				c.Errorf("deleting with %s: %v", name, err)
			}
		}
		for _, number := range []string{"first", "second"} {
			c.must(namespaces.Delete(c.Context(), "a", metav1.DeleteOptions{}))
			namespace, err = namespaces.Get(c.Context(), "a", metav1.GetOptions{})
			c.must(err)
			if namespace.Status.Phase != corev1.NamespaceTerminating || namespace.DeletionTimestamp == nil {
				c.Errorf("after the %s deletion: %+v", number, namespace)
			}
		}
		namespace.Spec.Finalizers = nil
		updated, err := namespaces.Update(c.Context(), namespace, metav1.UpdateOptions{})
		if err != nil || len(updated.Spec.Finalizers) != 1 {
			c.Errorf("an update leaves %v, %v", updated.Spec.Finalizers, err)
		}
		updated.Spec.Finalizers = nil
		_, err = namespaces.Finalize(c.Context(), updated, metav1.UpdateOptions{})
		c.must(err)
		if _, err := namespaces.Get(c.Context(), "a", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			c.Errorf("after it was finalized: %v", err)
		}
	})
}

func TestAPodOnANodeHasAGracePeriod(t *testing.T) {
	inCluster(t, func(c cluster) {
		pods := c.CoreV1().Pods("a")
		create := func(name, node string) {
			pod := &corev1.Pod{ObjectMeta: named(name), Spec: corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
			created, err := pods.Create(c.Context(), pod, metav1.CreateOptions{})
			c.must(err)
			if created.Status.Phase != corev1.PodPending {
				c.Errorf("created %+v", created.Status)
			}
		}
		create("waiting", "")
		c.must(pods.Delete(c.Context(), "waiting", metav1.DeleteOptions{}))
		if _, err := pods.Get(c.Context(), "waiting", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			c.Errorf("a Pod without a node, deleted: %v", err)
		}
		create("running", "node")
		c.must(pods.Delete(c.Context(), "running", metav1.DeleteOptions{}))
		deleted, err := pods.Get(c.Context(), "running", metav1.GetOptions{})
		c.must(err)
		if *deleted.DeletionGracePeriodSeconds != 30 || time.Until(deleted.DeletionTimestamp.Time).Round(time.Second) != 30*time.Second {
			c.Errorf("metadata of a deleted Pod on a node: %+v", deleted.ObjectMeta)
		}
		c.must(pods.Delete(c.Context(), "running", metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)})) // as its kubelet does
		if _, err := pods.Get(c.Context(), "running", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			c.Errorf("after its kubelet deleted it: %v", err)
		}
	})
}

func TestAnEventLastsAnHour(t *testing.T) {
	inCluster(t, func(c cluster) {
		_, err := c.CoreV1().Events("a").Create(c.Context(), &corev1.Event{ObjectMeta: named("e"), InvolvedObject: corev1.ObjectReference{Namespace: "a"}}, metav1.CreateOptions{})
		c.must(err)
		created := time.Now()
		get := func() error {
			synctest.Wait()
			_, err := c.CoreV1().Events("a").Get(c.Context(), "e", metav1.GetOptions{})
			return err
		}
		time.Sleep(59 * time.Minute)
		c.must(get())
		time.Sleep(2 * time.Minute)
		if err := get(); !apierrors.IsNotFound(err) {
			c.Errorf("after %s: %v", time.Since(created), err)
		}
	})
}
