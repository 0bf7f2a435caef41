package builtin

import (
	"slices"

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
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Kind describes a built-in kind and the API version in which it is served.
type Kind struct {
	schema.GroupVersion
	// Resource and Singular are the plural and singular resource names, in lower case.
	Resource, Singular string
	// ShortNames are the short names of the resource for kubectl.
	ShortNames []string
	// All is true if the resource belongs to the category "all".
	All bool
	// Namespaced is true if the kind is namespaced, and false if it is cluster-scoped.
	Namespaced bool
	// Object and List are empty values of the Go types of the kind and of its list.
	Object, List runtime.Object

	rules rules
	// ttl is the time to live of objects in seconds. If it is 0, objects do not expire.
	ttl uint64
	// fields returns the selectable fields besides metadata.name and metadata.namespace. It is optional.
	fields func(runtime.Object) map[string]string
}

// rules configure how a registry writes and deletes objects of a kind.
type rules struct {
	// hasStatus is true if the kind has subresource "status".
	hasStatus bool
	// hasScale is true if the kind has subresource "scale".
	hasScale bool
	// hasGeneration is true if the registry sets metadata.generation. The generation starts at 1 and increases with each change to a field
	// in generationFields.
	hasGeneration bool
	// generationFields lists names of top-level fields of the Go type. Nil means Spec. If the slice is empty but not nil, the generation
	// never increases.
	generationFields []string
	// prepareCreate changes a new object after its status was cleared. prepareUpdate changes an object that replaces old. canonicalize
	// changes new and updated objects after validation. All are optional.
	prepareCreate func(object runtime.Object)
	prepareUpdate func(object, old runtime.Object)
	canonicalize  func(object runtime.Object)
	// validName validates names; by default, names must be DNS subdomains, or path segments for RBAC kinds. validate validates all objects;
	// validateUpdate makes additional checks of updates.
	validName      validation.ValidateNameFunc
	validate       func(object runtime.Object) field.ErrorList
	validateUpdate func(object, old runtime.Object) field.ErrorList
	// warnings returns the API server's warnings about a written object. It is optional.
	warnings func(object runtime.Object) []string
	// requiresResourceVersion is true if updates must have a resourceVersion.
	requiresResourceVersion bool
	// allowsCreateOnUpdate is true if an update of an object that does not exist creates it.
	allowsCreateOnUpdate bool
	// gracePeriod returns the grace period for a deletion in seconds. requested is the grace period in the request, or nil. Without this
	// function, objects are deleted immediately.
	gracePeriod func(object runtime.Object, requested *int64) int64
	// hasSpecFinalizers is true for Namespaces: they have spec.finalizers and subresource "finalize".
	hasSpecFinalizers bool
	// returnsDeleted is true if the response to a deletion is the deleted object, and false if it is a Status.
	returnsDeleted bool
}

// Kinds returns all built-in kinds, with two exceptions: CustomResourceDefinition, which the server for custom resources serves, and the
// kinds that are not stored; see Reviews.
func Kinds() []Kind {
	return slices.Concat(coreKinds(), workloadKinds(), rbacKinds(), otherKinds(), admissionKinds())
}

// specAndStatus are the rules of kinds with a spec, a generation and a status subresource.
var specAndStatus = rules{hasStatus: true, hasGeneration: true}

func served(version schema.GroupVersion, kinds ...Kind) []Kind {
	for i := range kinds {
		kinds[i].GroupVersion = version
	}
	return kinds
}

func coreKinds() []Kind {
	return served(corev1.SchemeGroupVersion,
		Kind{Resource: "namespaces", Singular: "namespace", ShortNames: []string{"ns"}, Object: &corev1.Namespace{}, List: &corev1.NamespaceList{},
			rules: rules{hasStatus: true, validName: validation.ValidateNamespaceName, prepareCreate: beginNamespace, prepareUpdate: keepNamespaceFinalizers,
				canonicalize: labelNamespace, hasSpecFinalizers: true, returnsDeleted: true}, fields: namespaceFields},
		Kind{Resource: "configmaps", Singular: "configmap", ShortNames: []string{"cm"}, Namespaced: true, Object: &corev1.ConfigMap{}, List: &corev1.ConfigMapList{},
			rules: rules{validate: validateConfigMap, validateUpdate: validateConfigMapUpdate}},
		Kind{Resource: "secrets", Singular: "secret", Namespaced: true, Object: &corev1.Secret{}, List: &corev1.SecretList{}, fields: secretFields,
			rules: rules{validate: validateSecret, validateUpdate: validateSecretUpdate, warnings: warnOfKeyPair}},
		Kind{Resource: "serviceaccounts", Singular: "serviceaccount", ShortNames: []string{"sa"}, Namespaced: true, Object: &corev1.ServiceAccount{}, List: &corev1.ServiceAccountList{},
			rules: rules{returnsDeleted: true}},
		Kind{Resource: "services", Singular: "service", ShortNames: []string{"svc"}, All: true, Namespaced: true, Object: &corev1.Service{}, List: &corev1.ServiceList{},
			rules: rules{hasStatus: true, allowsCreateOnUpdate: true, prepareCreate: setClusterIP, prepareUpdate: keepClusterIP, returnsDeleted: true,
				validName: validation.NameIsDNS1035Label, validate: validateService, validateUpdate: validateServiceUpdate}},
		//nolint:staticcheck // deprecated, and served
		Kind{Resource: "endpoints", Singular: "endpoints", ShortNames: []string{"ep"}, Namespaced: true, Object: &corev1.Endpoints{}, List: &corev1.EndpointsList{},
			rules: rules{allowsCreateOnUpdate: true}},
		Kind{Resource: "pods", Singular: "pod", ShortNames: []string{"po"}, All: true, Namespaced: true, Object: &corev1.Pod{}, List: &corev1.PodList{},
			rules: rules{hasStatus: true, hasGeneration: true, prepareCreate: beginPod, gracePeriod: podGracePeriod, returnsDeleted: true}, fields: podFields},
		Kind{Resource: "nodes", Singular: "node", ShortNames: []string{"no"}, Object: &corev1.Node{}, List: &corev1.NodeList{}, rules: rules{hasStatus: true}},
		Kind{Resource: "events", Singular: "event", ShortNames: []string{"ev"}, Namespaced: true, Object: &corev1.Event{}, List: &corev1.EventList{},
			rules: rules{allowsCreateOnUpdate: true}, ttl: 3600, fields: eventFields},
		Kind{Resource: "persistentvolumeclaims", Singular: "persistentvolumeclaim", ShortNames: []string{"pvc"}, Namespaced: true,
			Object: &corev1.PersistentVolumeClaim{}, List: &corev1.PersistentVolumeClaimList{}, rules: rules{hasStatus: true, returnsDeleted: true, validate: validateClaim, validateUpdate: validateClaimUpdate, prepareCreate: func(object runtime.Object) {
				object.(*corev1.PersistentVolumeClaim).Status.Phase = corev1.ClaimPending
			}}},
		Kind{Resource: "persistentvolumes", Singular: "persistentvolume", ShortNames: []string{"pv"},
			Object: &corev1.PersistentVolume{}, List: &corev1.PersistentVolumeList{}, rules: rules{hasStatus: true, returnsDeleted: true}},
		Kind{Resource: "resourcequotas", Singular: "resourcequota", ShortNames: []string{"quota"}, Namespaced: true,
			Object: &corev1.ResourceQuota{}, List: &corev1.ResourceQuotaList{}, rules: rules{hasStatus: true, returnsDeleted: true}},
		Kind{Resource: "limitranges", Singular: "limitrange", ShortNames: []string{"limits"}, Namespaced: true, Object: &corev1.LimitRange{}, List: &corev1.LimitRangeList{}},
	)
}

func workloadKinds() []Kind {
	kinds := served(appsv1.SchemeGroupVersion,
		Kind{Resource: "deployments", Singular: "deployment", ShortNames: []string{"deploy"}, All: true, Namespaced: true,
			Object: &appsv1.Deployment{}, List: &appsv1.DeploymentList{},
			rules: rules{hasStatus: true, hasScale: true, hasGeneration: true, generationFields: []string{"Spec", "Annotations"}, validate: validateReplicas, validateUpdate: validateWorkloadUpdate}},
		Kind{Resource: "replicasets", Singular: "replicaset", ShortNames: []string{"rs"}, All: true, Namespaced: true,
			Object: &appsv1.ReplicaSet{}, List: &appsv1.ReplicaSetList{},
			rules: rules{hasStatus: true, hasScale: true, hasGeneration: true, validate: validateReplicas, validateUpdate: validateWorkloadUpdate}},
		Kind{Resource: "statefulsets", Singular: "statefulset", ShortNames: []string{"sts"}, All: true, Namespaced: true,
			Object: &appsv1.StatefulSet{}, List: &appsv1.StatefulSetList{},
			rules: rules{hasStatus: true, hasScale: true, hasGeneration: true, validate: validateReplicas, validateUpdate: validateStatefulSetUpdate}},
		Kind{Resource: "daemonsets", Singular: "daemonset", ShortNames: []string{"ds"}, All: true, Namespaced: true,
			Object: &appsv1.DaemonSet{}, List: &appsv1.DaemonSetList{},
			rules: rules{hasStatus: true, hasGeneration: true, prepareCreate: beginDaemonSet, prepareUpdate: countTemplates, validate: validateWorkload, validateUpdate: validateWorkloadUpdate}},
		Kind{Resource: "controllerrevisions", Singular: "controllerrevision", Namespaced: true, Object: &appsv1.ControllerRevision{}, List: &appsv1.ControllerRevisionList{}},
	)
	return append(kinds, served(batchv1.SchemeGroupVersion,
		Kind{Resource: "jobs", Singular: "job", All: true, Namespaced: true, Object: &batchv1.Job{}, List: &batchv1.JobList{},
			rules: rules{hasStatus: true, hasGeneration: true, prepareCreate: selectJobPods, validate: validateJob, validateUpdate: validateJobUpdate}},
		Kind{Resource: "cronjobs", Singular: "cronjob", ShortNames: []string{"cj"}, All: true, Namespaced: true, Object: &batchv1.CronJob{}, List: &batchv1.CronJobList{}, rules: specAndStatus},
	)...)
}

func rbacKinds() []Kind {
	return served(rbacv1.SchemeGroupVersion,
		Kind{Resource: "roles", Singular: "role", Namespaced: true, Object: &rbacv1.Role{}, List: &rbacv1.RoleList{},
			rules: rules{allowsCreateOnUpdate: true, validate: validateRole}},
		Kind{Resource: "rolebindings", Singular: "rolebinding", Namespaced: true, Object: &rbacv1.RoleBinding{}, List: &rbacv1.RoleBindingList{},
			rules: rules{allowsCreateOnUpdate: true, validate: validateBinding, validateUpdate: validateBindingUpdate}},
		Kind{Resource: "clusterroles", Singular: "clusterrole", Object: &rbacv1.ClusterRole{}, List: &rbacv1.ClusterRoleList{},
			rules: rules{allowsCreateOnUpdate: true, validate: validateRole}},
		Kind{Resource: "clusterrolebindings", Singular: "clusterrolebinding", Object: &rbacv1.ClusterRoleBinding{}, List: &rbacv1.ClusterRoleBindingList{},
			rules: rules{allowsCreateOnUpdate: true, validate: validateBinding, validateUpdate: validateBindingUpdate}},
	)
}

func otherKinds() []Kind {
	return slices.Concat(
		served(coordinationv1.SchemeGroupVersion,
			Kind{Resource: "leases", Singular: "lease", Namespaced: true, Object: &coordinationv1.Lease{}, List: &coordinationv1.LeaseList{},
				rules: rules{allowsCreateOnUpdate: true, requiresResourceVersion: true}}),
		served(policyv1.SchemeGroupVersion,
			Kind{Resource: "poddisruptionbudgets", Singular: "poddisruptionbudget", ShortNames: []string{"pdb"}, Namespaced: true,
				Object: &policyv1.PodDisruptionBudget{}, List: &policyv1.PodDisruptionBudgetList{}, rules: rules{hasStatus: true, hasGeneration: true, requiresResourceVersion: true}}),
		served(networkingv1.SchemeGroupVersion,
			Kind{Resource: "networkpolicies", Singular: "networkpolicy", ShortNames: []string{"netpol"}, Namespaced: true,
				Object: &networkingv1.NetworkPolicy{}, List: &networkingv1.NetworkPolicyList{}, rules: rules{hasGeneration: true}},
			Kind{Resource: "ingressclasses", Singular: "ingressclass", Object: &networkingv1.IngressClass{}, List: &networkingv1.IngressClassList{},
				rules: rules{hasGeneration: true, validate: validateIngressClass, validateUpdate: validateIngressClassUpdate}},
			Kind{Resource: "ingresses", Singular: "ingress", ShortNames: []string{"ing"}, Namespaced: true, Object: &networkingv1.Ingress{}, List: &networkingv1.IngressList{}, rules: specAndStatus},
		),
		served(autoscalingv2.SchemeGroupVersion,
			Kind{Resource: "horizontalpodautoscalers", Singular: "horizontalpodautoscaler", ShortNames: []string{"hpa"}, All: true, Namespaced: true,
				Object: &autoscalingv2.HorizontalPodAutoscaler{}, List: &autoscalingv2.HorizontalPodAutoscalerList{}, rules: rules{hasStatus: true}}),
		served(schedulingv1.SchemeGroupVersion,
			Kind{Resource: "priorityclasses", Singular: "priorityclass", ShortNames: []string{"pc"}, Object: &schedulingv1.PriorityClass{}, List: &schedulingv1.PriorityClassList{},
				rules: rules{hasGeneration: true, generationFields: []string{}, validateUpdate: validatePriorityClassUpdate}}),
		served(storagev1.SchemeGroupVersion,
			Kind{Resource: "storageclasses", Singular: "storageclass", ShortNames: []string{"sc"}, Object: &storagev1.StorageClass{}, List: &storagev1.StorageClassList{},
				rules: rules{validateUpdate: validateStorageClassUpdate}},
			Kind{Resource: "csidrivers", Singular: "csidriver", Object: &storagev1.CSIDriver{}, List: &storagev1.CSIDriverList{}, rules: rules{requiresResourceVersion: true}},
		),
		served(discoveryv1.SchemeGroupVersion,
			Kind{Resource: "endpointslices", Singular: "endpointslice", Namespaced: true, Object: &discoveryv1.EndpointSlice{}, List: &discoveryv1.EndpointSliceList{},
				rules: rules{hasGeneration: true, generationFields: []string{"Endpoints", "Ports", "AddressType"}}}),
	)
}

func admissionKinds() []Kind {
	return served(admissionregistrationv1.SchemeGroupVersion,
		Kind{Resource: "validatingwebhookconfigurations", Singular: "validatingwebhookconfiguration",
			Object: &admissionregistrationv1.ValidatingWebhookConfiguration{}, List: &admissionregistrationv1.ValidatingWebhookConfigurationList{},
			rules: rules{hasGeneration: true, generationFields: []string{"Webhooks"}, validate: validateWebhooks, requiresResourceVersion: true}},
		Kind{Resource: "mutatingwebhookconfigurations", Singular: "mutatingwebhookconfiguration",
			Object: &admissionregistrationv1.MutatingWebhookConfiguration{}, List: &admissionregistrationv1.MutatingWebhookConfigurationList{},
			rules: rules{hasGeneration: true, generationFields: []string{"Webhooks"}, validate: validateWebhooks, requiresResourceVersion: true}},
		Kind{Resource: "validatingadmissionpolicies", Singular: "validatingadmissionpolicy",
			Object: &admissionregistrationv1.ValidatingAdmissionPolicy{}, List: &admissionregistrationv1.ValidatingAdmissionPolicyList{},
			rules: rules{hasStatus: true, hasGeneration: true, validate: validatePolicy, requiresResourceVersion: true}},
		Kind{Resource: "validatingadmissionpolicybindings", Singular: "validatingadmissionpolicybinding",
			Object: &admissionregistrationv1.ValidatingAdmissionPolicyBinding{}, List: &admissionregistrationv1.ValidatingAdmissionPolicyBindingList{},
			rules: rules{hasGeneration: true, requiresResourceVersion: true}},
	)
}
