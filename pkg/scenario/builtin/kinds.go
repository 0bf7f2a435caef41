package builtin

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Kind is a kind that is served in one version.
type Kind struct {
	schema.GroupVersion
	// Resource and Singular are its names in a URL.
	Resource, Singular string
	// ShortNames are what kubectl takes for Resource.
	ShortNames []string
	// All is whether the resource belongs to the category "all".
	All bool
	// Namespaced is whether its objects are in namespaces.
	Namespaced bool
	// Object and List are empty ones.
	Object, List runtime.Object

	// strategy says what happens when an object is written.
	strategy rules
	// ttl is for how many seconds an object is kept; zero means until it is deleted.
	ttl uint64
	// fields are those besides metadata.name and metadata.namespace that a field selector may name.
	fields func(runtime.Object) map[string]string
}

// rules say how writes of a kind differ.
type rules struct {
	// status is whether the status is written by a subresource of its own.
	status bool
	// generation is whether metadata.generation counts the changes of what is generated.
	generation bool
	// generated names the top-level fields whose changes are counted; Spec if it is empty.
	generated []string
	// create completes a new object, after its status was dropped; update completes one that is written over an old one; canonicalize
	// does so for both, when a generated name is known.
	create       func(object runtime.Object)
	update       func(object, old runtime.Object)
	canonicalize func(object runtime.Object)
	// noUnconditionalUpdate demands a resourceVersion of an update.
	noUnconditionalUpdate bool
	// createOnUpdate lets an update create an object.
	createOnUpdate bool
	// graceful returns how many seconds an object has to end, which may have been asked for. Nil deletes at once.
	graceful func(object runtime.Object, asked *int64) int64
}

// Kinds returns all kinds that are served, except for CustomResourceDefinitions, which an API server of their own serves, and for access
// reviews, which are not stored.
func Kinds() []Kind {
	spec := rules{status: true, generation: true}
	workload := rules{status: true, generation: true, noUnconditionalUpdate: false}
	var kinds []Kind
	add := func(group schema.GroupVersion, more ...Kind) {
		for _, kind := range more {
			kind.GroupVersion = group
			kinds = append(kinds, kind)
		}
	}
	add(corev1.SchemeGroupVersion,
		Kind{Resource: "namespaces", Singular: "namespace", ShortNames: []string{"ns"}, Object: &corev1.Namespace{}, List: &corev1.NamespaceList{},
			strategy: rules{status: true, create: beginNamespace, update: keepNamespaceFinalizers, canonicalize: labelNamespace}, fields: namespaceFields},
		Kind{Resource: "configmaps", Singular: "configmap", ShortNames: []string{"cm"}, Namespaced: true, Object: &corev1.ConfigMap{}, List: &corev1.ConfigMapList{}},
		Kind{Resource: "secrets", Singular: "secret", Namespaced: true, Object: &corev1.Secret{}, List: &corev1.SecretList{}, fields: secretFields},
		Kind{Resource: "serviceaccounts", Singular: "serviceaccount", ShortNames: []string{"sa"}, Namespaced: true, Object: &corev1.ServiceAccount{}, List: &corev1.ServiceAccountList{}},
		Kind{Resource: "services", Singular: "service", ShortNames: []string{"svc"}, All: true, Namespaced: true, Object: &corev1.Service{}, List: &corev1.ServiceList{},
			strategy: rules{status: true, createOnUpdate: true, create: beginService}},
		//nolint:staticcheck // deprecated, and served
		Kind{Resource: "endpoints", Singular: "endpoints", ShortNames: []string{"ep"}, Namespaced: true, Object: &corev1.Endpoints{}, List: &corev1.EndpointsList{},
			strategy: rules{createOnUpdate: true}},
		Kind{Resource: "pods", Singular: "pod", ShortNames: []string{"po"}, All: true, Namespaced: true, Object: &corev1.Pod{}, List: &corev1.PodList{},
			strategy: rules{status: true, generation: true, create: beginPod, graceful: podGracePeriod}, fields: podFields},
		Kind{Resource: "nodes", Singular: "node", ShortNames: []string{"no"}, Object: &corev1.Node{}, List: &corev1.NodeList{}, strategy: rules{status: true}},
		Kind{Resource: "events", Singular: "event", ShortNames: []string{"ev"}, Namespaced: true, Object: &corev1.Event{}, List: &corev1.EventList{},
			strategy: rules{createOnUpdate: true}, ttl: 3600, fields: eventFields},
		Kind{Resource: "persistentvolumeclaims", Singular: "persistentvolumeclaim", ShortNames: []string{"pvc"}, Namespaced: true,
			Object: &corev1.PersistentVolumeClaim{}, List: &corev1.PersistentVolumeClaimList{}, strategy: rules{status: true}},
		Kind{Resource: "persistentvolumes", Singular: "persistentvolume", ShortNames: []string{"pv"},
			Object: &corev1.PersistentVolume{}, List: &corev1.PersistentVolumeList{}, strategy: rules{status: true}},
		Kind{Resource: "resourcequotas", Singular: "resourcequota", ShortNames: []string{"quota"}, Namespaced: true,
			Object: &corev1.ResourceQuota{}, List: &corev1.ResourceQuotaList{}, strategy: rules{status: true}},
		Kind{Resource: "limitranges", Singular: "limitrange", ShortNames: []string{"limits"}, Namespaced: true, Object: &corev1.LimitRange{}, List: &corev1.LimitRangeList{}},
	)
	add(appsv1.SchemeGroupVersion,
		Kind{Resource: "deployments", Singular: "deployment", ShortNames: []string{"deploy"}, All: true, Namespaced: true,
			Object: &appsv1.Deployment{}, List: &appsv1.DeploymentList{}, strategy: rules{status: true, generation: true, generated: []string{"Spec", "Annotations"}}},
		Kind{Resource: "replicasets", Singular: "replicaset", ShortNames: []string{"rs"}, All: true, Namespaced: true, Object: &appsv1.ReplicaSet{}, List: &appsv1.ReplicaSetList{}, strategy: workload},
		Kind{Resource: "statefulsets", Singular: "statefulset", ShortNames: []string{"sts"}, All: true, Namespaced: true, Object: &appsv1.StatefulSet{}, List: &appsv1.StatefulSetList{}, strategy: workload},
		Kind{Resource: "daemonsets", Singular: "daemonset", ShortNames: []string{"ds"}, All: true, Namespaced: true, Object: &appsv1.DaemonSet{}, List: &appsv1.DaemonSetList{}, strategy: workload},
		Kind{Resource: "controllerrevisions", Singular: "controllerrevision", Namespaced: true, Object: &appsv1.ControllerRevision{}, List: &appsv1.ControllerRevisionList{}},
	)
	add(batchv1.SchemeGroupVersion,
		Kind{Resource: "jobs", Singular: "job", All: true, Namespaced: true, Object: &batchv1.Job{}, List: &batchv1.JobList{}, strategy: workload},
		Kind{Resource: "cronjobs", Singular: "cronjob", ShortNames: []string{"cj"}, All: true, Namespaced: true, Object: &batchv1.CronJob{}, List: &batchv1.CronJobList{}, strategy: workload},
	)
	add(rbacv1.SchemeGroupVersion,
		Kind{Resource: "roles", Singular: "role", Namespaced: true, Object: &rbacv1.Role{}, List: &rbacv1.RoleList{}, strategy: rules{createOnUpdate: true}},
		Kind{Resource: "rolebindings", Singular: "rolebinding", Namespaced: true, Object: &rbacv1.RoleBinding{}, List: &rbacv1.RoleBindingList{}, strategy: rules{createOnUpdate: true}},
		Kind{Resource: "clusterroles", Singular: "clusterrole", Object: &rbacv1.ClusterRole{}, List: &rbacv1.ClusterRoleList{}, strategy: rules{createOnUpdate: true}},
		Kind{Resource: "clusterrolebindings", Singular: "clusterrolebinding", Object: &rbacv1.ClusterRoleBinding{}, List: &rbacv1.ClusterRoleBindingList{}, strategy: rules{createOnUpdate: true}},
	)
	add(coordinationv1.SchemeGroupVersion,
		Kind{Resource: "leases", Singular: "lease", Namespaced: true, Object: &coordinationv1.Lease{}, List: &coordinationv1.LeaseList{},
			strategy: rules{createOnUpdate: true, noUnconditionalUpdate: true}})
	add(policyv1.SchemeGroupVersion,
		Kind{Resource: "poddisruptionbudgets", Singular: "poddisruptionbudget", ShortNames: []string{"pdb"}, Namespaced: true,
			Object: &policyv1.PodDisruptionBudget{}, List: &policyv1.PodDisruptionBudgetList{}, strategy: rules{status: true, generation: true, noUnconditionalUpdate: true}})
	add(networkingv1.SchemeGroupVersion,
		Kind{Resource: "networkpolicies", Singular: "networkpolicy", ShortNames: []string{"netpol"}, Namespaced: true,
			Object: &networkingv1.NetworkPolicy{}, List: &networkingv1.NetworkPolicyList{}, strategy: rules{generation: true}},
		Kind{Resource: "ingresses", Singular: "ingress", ShortNames: []string{"ing"}, Namespaced: true, Object: &networkingv1.Ingress{}, List: &networkingv1.IngressList{}, strategy: spec},
	)
	add(autoscalingv2.SchemeGroupVersion,
		Kind{Resource: "horizontalpodautoscalers", Singular: "horizontalpodautoscaler", ShortNames: []string{"hpa"}, All: true, Namespaced: true,
			Object: &autoscalingv2.HorizontalPodAutoscaler{}, List: &autoscalingv2.HorizontalPodAutoscalerList{}, strategy: rules{status: true}})
	add(schedulingv1.SchemeGroupVersion,
		Kind{Resource: "priorityclasses", Singular: "priorityclass", ShortNames: []string{"pc"}, Object: &schedulingv1.PriorityClass{}, List: &schedulingv1.PriorityClassList{},
			strategy: rules{generation: true, generated: []string{}}})
	add(storagev1.SchemeGroupVersion,
		Kind{Resource: "storageclasses", Singular: "storageclass", ShortNames: []string{"sc"}, Object: &storagev1.StorageClass{}, List: &storagev1.StorageClassList{}},
		Kind{Resource: "csidrivers", Singular: "csidriver", Object: &storagev1.CSIDriver{}, List: &storagev1.CSIDriverList{}, strategy: spec},
	)
	add(discoveryv1.SchemeGroupVersion,
		Kind{Resource: "endpointslices", Singular: "endpointslice", Namespaced: true, Object: &discoveryv1.EndpointSlice{}, List: &discoveryv1.EndpointSliceList{},
			strategy: rules{generation: true, generated: []string{"Endpoints", "Ports", "AddressType"}}})
	add(admissionregistrationv1.SchemeGroupVersion,
		Kind{Resource: "validatingwebhookconfigurations", Singular: "validatingwebhookconfiguration",
			Object: &admissionregistrationv1.ValidatingWebhookConfiguration{}, List: &admissionregistrationv1.ValidatingWebhookConfigurationList{},
			strategy: rules{generation: true, generated: []string{"Webhooks"}}},
		Kind{Resource: "mutatingwebhookconfigurations", Singular: "mutatingwebhookconfiguration",
			Object: &admissionregistrationv1.MutatingWebhookConfiguration{}, List: &admissionregistrationv1.MutatingWebhookConfigurationList{},
			strategy: rules{generation: true, generated: []string{"Webhooks"}}},
		Kind{Resource: "validatingadmissionpolicies", Singular: "validatingadmissionpolicy",
			Object: &admissionregistrationv1.ValidatingAdmissionPolicy{}, List: &admissionregistrationv1.ValidatingAdmissionPolicyList{}, strategy: spec},
		Kind{Resource: "validatingadmissionpolicybindings", Singular: "validatingadmissionpolicybinding",
			Object: &admissionregistrationv1.ValidatingAdmissionPolicyBinding{}, List: &admissionregistrationv1.ValidatingAdmissionPolicyBindingList{},
			strategy: rules{generation: true}},
	)
	return kinds
}
