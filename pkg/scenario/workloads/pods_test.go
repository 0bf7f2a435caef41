package workloads

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

// The cache of Pods, from which startPods reads the existing names, may be stale.
func TestAPodWhoseNameIsTakenGetsAnother(t *testing.T) {
	daemons := podSet{Object: &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "b", UID: "daemons"}}, kind: appsv1.SchemeGroupVersion.WithKind("DaemonSet")}
	stateful := podSet{Object: &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "b", UID: "stateful"}}, kind: appsv1.SchemeGroupVersion.WithKind("StatefulSet")}
	for name, test := range map[string]struct {
		owner podSet
		want  int
	}{
		"by another set":            {stateful, 2},
		"by one of its own already": {daemons, 1},
	} {
		t.Run(name, func(t *testing.T) {
			client := fake.NewClientset(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: nodeName}}, test.owner.pod("a-0", ""))
			runner := &Runner{controller: client}
			if err := runner.startPods(t.Context(), daemons, map[string]bool{}, 1); err != nil {
				t.Fatal(err)
			}
			pods, err := client.CoreV1().Pods("b").List(t.Context(), metav1.ListOptions{})
			if err != nil || len(pods.Items) != test.want {
				t.Errorf("there are %d Pods (%v), want %d", len(pods.Items), err, test.want)
			}
		})
	}
}
