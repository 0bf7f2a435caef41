package builtin_test

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applyappsv1 "k8s.io/client-go/applyconfigurations/apps/v1"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/utils/ptr"
)

// deployment returns a Deployment in which no field that has a default is set.
func deployment(name string) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{ObjectMeta: named(name), Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}},
	}}
}

func TestSpecAndStatusAreWrittenSeparately(t *testing.T) {
	inCluster(t, func(c cluster) {
		deployments := c.AppsV1().Deployments("a")
		create := deployment("d")
		create.Status.Replicas = 7
		created, err := deployments.Create(c.Context(), create, metav1.CreateOptions{})
		c.must(err)
		type state struct {
			generation, replicas int64
			status               int32
			annotation           string
		}
		stateOf := func(d *appsv1.Deployment) state {
			return state{d.Generation, int64(*d.Spec.Replicas), d.Status.Replicas, d.Annotations["n"]}
		}
		if got, want := stateOf(created), (state{generation: 1, replicas: 1}); got != want {
			c.Errorf("created %+v, want %+v: the status is dropped", got, want)
		}
		change := func(generation int64, replicas, status int32, annotation string) *appsv1.Deployment {
			changed := created.DeepCopy()
			changed.ResourceVersion, changed.Generation = "", generation
			changed.Spec.Replicas, changed.Status.Replicas = &replicas, status
			if annotation != "" {
				changed.Annotations = map[string]string{"n": annotation}
			}
			return changed
		}
		for _, step := range []struct {
			name   string
			write  *appsv1.Deployment
			status bool
			want   state
		}{
			{"an update of nothing but the status changes nothing", change(9, 1, 5, ""), false, state{generation: 1, replicas: 1}},
			{"a status update changes the status alone", change(9, 4, 5, ""), true, state{generation: 1, replicas: 1, status: 5}},
			{"an update keeps the status", change(9, 3, 0, ""), false, state{generation: 2, replicas: 3, status: 5}},
			{"annotations of a Deployment count for its generation", change(9, 3, 0, "x"), false, state{generation: 3, replicas: 3, status: 5, annotation: "x"}},
			{"an update of nothing changes nothing", change(9, 3, 5, "x"), false, state{generation: 3, replicas: 3, status: 5, annotation: "x"}},
		} {
			update := deployments.Update
			if step.status {
				update = deployments.UpdateStatus
			}
			updated, err := update(c.Context(), step.write, metav1.UpdateOptions{})
			c.must(err)
			if got := stateOf(updated); got != step.want {
				c.Errorf("%s: got %+v, want %+v", step.name, got, step.want)
			}
		}
	})
}

func TestUpdatesOfSomeKindsCreateOrNeedAResourceVersion(t *testing.T) {
	inCluster(t, func(c cluster) {
		role, err := c.RbacV1().Roles("a").Update(c.Context(), &rbacv1.Role{ObjectMeta: named("r")}, metav1.UpdateOptions{})
		if err != nil || role.UID == "" {
			c.Errorf("updating a Role that does not exist: %v, %v", role, err)
		}
		if _, err := c.CoreV1().ConfigMaps("a").Update(c.Context(), &corev1.ConfigMap{ObjectMeta: named("m")}, metav1.UpdateOptions{}); !apierrors.IsNotFound(err) {
			c.Errorf("updating a ConfigMap that does not exist: %v", err)
		}
		lease := &coordinationv1.Lease{ObjectMeta: named("l")}
		_, err = c.CoordinationV1().Leases("a").Create(c.Context(), lease, metav1.CreateOptions{})
		c.must(err)
		if _, err := c.CoordinationV1().Leases("a").Update(c.Context(), lease, metav1.UpdateOptions{}); !apierrors.IsInvalid(err) {
			c.Errorf("updating a Lease without its resourceVersion: %v", err)
		}
	})
}

func TestAServiceKeepsItsAddress(t *testing.T) {
	inCluster(t, func(c cluster) {
		service := &corev1.Service{ObjectMeta: named("s"), Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 443}}}}
		created, err := c.CoreV1().Services("a").Create(c.Context(), service, metav1.CreateOptions{})
		c.must(err)
		if !strings.HasPrefix(created.Spec.ClusterIP, "172.30.") || created.Spec.Ports[0].TargetPort.IntVal != 443 || created.Spec.Type != corev1.ServiceTypeClusterIP {
			c.Errorf("created with %+v", created.Spec)
		}
		service.Spec.Ports[0].Port = 8443
		updated, err := c.CoreV1().Services("a").Update(c.Context(), service, metav1.UpdateOptions{})
		c.must(err)
		if updated.Spec.ClusterIP != created.Spec.ClusterIP || len(updated.Spec.ClusterIPs) != 1 || updated.Spec.Ports[0].Port != 8443 {
			c.Errorf("an update without clusterIP changed it: %+v, created with %s", updated.Spec, created.Spec.ClusterIP)
		}
		external := &corev1.Service{ObjectMeta: named("e"), Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: "example.com"}}
		if external, err = c.CoreV1().Services("a").Create(c.Context(), external, metav1.CreateOptions{}); err != nil || external.Spec.ClusterIP != "" {
			c.Errorf("created with %+v, %v", external, err)
		}
	})
}

func TestServerSideApplyOwnsWhatIsAppliedAndNoDefaults(t *testing.T) {
	inCluster(t, func(c cluster) {
		deployments := c.AppsV1().Deployments("a")
		labels := map[string]string{"app": "d"}
		apply := func(manager string, change func(spec *applyappsv1.DeploymentSpecApplyConfiguration)) (*appsv1.Deployment, error) {
			spec := applyappsv1.DeploymentSpec()
			change(spec)
			return deployments.Apply(c.Context(), applyappsv1.Deployment("d", "a").WithSpec(spec), metav1.ApplyOptions{FieldManager: manager})
		}
		first, err := apply("first", func(spec *applyappsv1.DeploymentSpecApplyConfiguration) {
			spec.WithReplicas(2).WithSelector(applymetav1.LabelSelector().WithMatchLabels(labels)).WithTemplate(applycorev1.PodTemplateSpec().WithLabels(labels).
				WithSpec(applycorev1.PodSpec().WithContainers(applycorev1.Container().WithName("c").WithImage("i"))))
		})
		c.must(err)
		if *first.Spec.RevisionHistoryLimit != 10 || first.Spec.Template.Spec.RestartPolicy != corev1.RestartPolicyAlways {
			c.Errorf("defaults: %+v", first.Spec)
		}
		if fields := first.ManagedFields[0].FieldsV1.GetRawString(); len(first.ManagedFields) != 1 || strings.Contains(fields, "revisionHistoryLimit") || !strings.Contains(fields, "f:replicas") {
			c.Errorf("managed fields: %+v", first.ManagedFields)
		}
		if _, err := apply("second", func(spec *applyappsv1.DeploymentSpecApplyConfiguration) { spec.WithReplicas(3) }); !apierrors.IsConflict(err) || !strings.Contains(err.Error(), `conflict with "first"`) {
			c.Errorf("applying a field of another manager: %v", err)
		}
		second, err := apply("second", func(spec *applyappsv1.DeploymentSpecApplyConfiguration) { spec.WithRevisionHistoryLimit(3) })
		c.must(err)
		if *second.Spec.RevisionHistoryLimit != 3 || *second.Spec.Replicas != 2 || second.Generation != 2 {
			c.Errorf("applying a default: %+v", second)
		}
		again, err := apply("second", func(spec *applyappsv1.DeploymentSpecApplyConfiguration) { spec.WithRevisionHistoryLimit(3) })
		c.must(err)
		if again.ResourceVersion != second.ResourceVersion {
			c.Error("applying the same configuration again changed the object")
		}
		dropped, err := apply("first", func(spec *applyappsv1.DeploymentSpecApplyConfiguration) {
			spec.WithSelector(applymetav1.LabelSelector().WithMatchLabels(labels)).WithTemplate(applycorev1.PodTemplateSpec().WithLabels(labels).
				WithSpec(applycorev1.PodSpec().WithContainers(applycorev1.Container().WithName("c").WithImage("i"))))
		})
		c.must(err)
		if got := ptr.Deref(dropped.Spec.Replicas, 0); got != 1 {
			c.Errorf("a field that is no longer applied is %d, want its default", got)
		}
	})
}

func TestEventsOfOneMomentAreAllKept(t *testing.T) {
	inCluster(t, func(c cluster) {
		for range 3 {
			event := &corev1.Event{ObjectMeta: named("one.1"), InvolvedObject: corev1.ObjectReference{Namespace: "a", Name: "one"}}
			_, err := c.CoreV1().Events("a").Create(c.Context(), event, metav1.CreateOptions{})
			c.must(err)
		}
		list, err := c.CoreV1().Events("a").List(c.Context(), metav1.ListOptions{})
		c.must(err)
		if len(list.Items) != 3 {
			t.Errorf("got %d Events, want 3", len(list.Items))
		}
	})
}
