package builtin_test

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestFieldSelectors(t *testing.T) {
	inCluster(t, func(c cluster) {
		for name, node := range map[string]string{"here": "node", "nowhere": ""} {
			_, err := c.CoreV1().Pods("a").Create(c.Context(), &corev1.Pod{ObjectMeta: named(name), Spec: corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "c", Image: "i"}}}}, metav1.CreateOptions{})
			c.must(err)
			_, err = c.CoreV1().ConfigMaps("a").Create(c.Context(), &corev1.ConfigMap{ObjectMeta: named(name)}, metav1.CreateOptions{})
			c.must(err)
		}
		pods := func(options metav1.ListOptions) (names []string, err error) {
			list, err := c.CoreV1().Pods("").List(c.Context(), options)
			for _, pod := range list.Items {
				names = append(names, pod.Name)
			}
			return names, err
		}
		configMaps := func(options metav1.ListOptions) (names []string, err error) {
			list, err := c.CoreV1().ConfigMaps("").List(c.Context(), options)
			for _, configMap := range list.Items {
				names = append(names, configMap.Name)
			}
			return names, err
		}
		for _, test := range []struct {
			resource string
			list     func(metav1.ListOptions) ([]string, error)
			selector string
			want     []string
			bad      bool
		}{
			{"pods", pods, "spec.nodeName=node", []string{"here"}, false},
			{"pods", pods, "spec.nodeName!=node,metadata.namespace=a", []string{"nowhere"}, false},
			{"pods", pods, "spec.containers=c", nil, true},
			{"configmaps", configMaps, "metadata.name=here", []string{"here"}, false},
			{"configmaps", configMaps, "metadata.namespace=b", nil, false},
			{"configmaps", configMaps, "data.key=value", nil, true},
		} {
			got, err := test.list(metav1.ListOptions{FieldSelector: test.selector})
			if !slices.Equal(got, test.want) || apierrors.IsBadRequest(err) != test.bad || err != nil && !test.bad {
				c.Errorf("%s with %s: %q, %v", test.resource, test.selector, got, err)
			}
		}
	})
}

func TestDiscoveryListsKindsAndSubresources(t *testing.T) {
	inCluster(t, func(c cluster) {
		resources, err := c.Discovery().ServerResourcesForGroupVersion("apps/v1")
		c.must(err)
		found := map[string]metav1.APIResource{}
		for _, resource := range resources.APIResources {
			found[resource.Name] = resource
		}
		deployments := found["deployments"]
		if deployments.Kind != "Deployment" || deployments.SingularName != "deployment" || !deployments.Namespaced ||
			!slices.Equal(deployments.ShortNames, []string{"deploy"}) || !slices.Equal(deployments.Categories, []string{"all"}) {
			c.Errorf("deployments: %+v", deployments)
		}
		if want := []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}; !slices.Equal([]string(deployments.Verbs), want) {
			c.Errorf("deployments have the verbs %q, want %q", deployments.Verbs, want)
		}
		if status := found["deployments/status"]; !slices.Equal([]string(status.Verbs), []string{"get", "patch", "update"}) {
			c.Errorf("deployments/status: %+v", status)
		}
		if _, hasStatus := found["controllerrevisions/status"]; hasStatus {
			c.Error("discovery lists a status subresource of controllerrevisions")
		}
	})
}
