package scenario_test

import (
	"slices"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/scenario"
)

func TestObjectsReturnsTheObjectsOfAllKinds(t *testing.T) {
	run(t, withWidget(t), func(s story) {
		s.must(s.createConfigMap("a"))
		_, err := s.admin.CoreV1().Events("default").Create(s.Context(), &corev1.Event{
			ObjectMeta: metav1.ObjectMeta{Name: "e"}, InvolvedObject: corev1.ObjectReference{Kind: "ConfigMap", Namespace: "default", Name: "a"},
		}, metav1.CreateOptions{})
		s.must(err)
		lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "l"}}
		_, err = s.admin.CoordinationV1().Leases("default").Create(s.Context(), lease, metav1.CreateOptions{})
		s.must(err)
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "other"}}
		_, err = s.admin.CoreV1().Namespaces().Create(s.Context(), namespace, metav1.CreateOptions{})
		s.must(err)
		s.must(s.Settle())
		requests, watches := len(s.Requests()), len(s.Watches())

		objects, err := s.Objects(s.Context())
		s.must(err)
		clusterRoles := schema.GroupResource{Group: "rbac.authorization.k8s.io", Resource: "clusterroles"}
		definitions := schema.GroupResource{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"}
		for _, want := range []struct {
			resource         schema.GroupResource
			namespace, name  string
			apiVersion, kind string
		}{
			{configMaps, "default", "a", "v1", "ConfigMap"},
			{configMaps, "other", "kube-root-ca.crt", "v1", "ConfigMap"},
			{schema.GroupResource{Resource: "namespaces"}, "", "other", "v1", "Namespace"},
			{schema.GroupResource{Resource: "serviceaccounts"}, "other", "default", "v1", "ServiceAccount"},
			{clusterRoles, "", "cluster-admin", "rbac.authorization.k8s.io/v1", "ClusterRole"},
			{definitions, "", "widgets.example.com", "apiextensions.k8s.io/v1", "CustomResourceDefinition"},
			{widgets.GroupResource(), "", "first", "example.com/v1", "Widget"},
		} {
			if !slices.ContainsFunc(objects[want.resource], func(o unstructured.Unstructured) bool {
				return o.GetNamespace() == want.namespace && o.GetName() == want.name && o.GetAPIVersion() == want.apiVersion && o.GetKind() == want.kind
			}) {
				t.Errorf("there is no %s %s %s/%s of %s", want.apiVersion, want.kind, want.namespace, want.name, want.resource)
			}
		}
		for resource, all := range objects {
			if resource.Resource == "events" || resource.Resource == "leases" || len(all) == 0 {
				t.Errorf("there are %d objects of %s", len(all), resource)
			}
		}
		if len(s.Requests()) != requests || len(s.Watches()) != watches {
			t.Errorf("the cluster recorded the requests %v", s.Requests()[requests:])
		}
	})
}

func TestObjectsReturnsNoObjectsOfADeletedKind(t *testing.T) {
	run(t, withWidget(t), func(s story) {
		definitions, err := clientset.NewForConfig(s.ClientConfig(scenario.AdminUser))
		s.must(err)
		s.must(definitions.ApiextensionsV1().CustomResourceDefinitions().Delete(s.Context(), "widgets.example.com", metav1.DeleteOptions{}))
		s.must(s.Settle())
		objects, err := s.Objects(s.Context())
		s.must(err)
		if found := objects[widgets.GroupResource()]; found != nil || len(objects[configMaps]) == 0 {
			t.Errorf("the Widgets are %v, and there are %d ConfigMaps", found, len(objects[configMaps]))
		}
	})
}
