package kinds

import (
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

const specAndStatus = HasStatus | HasGeneration

// builtinKind is a built-in kind in the version in which the server serves it. Each kind is served in one version, because the conversion
// between versions of built-in kinds is in k8s.io/kubernetes.
type builtinKind struct {
	schema.GroupVersion
	kind string
	Traits
	// shortNames are separated by spaces.
	shortNames string
}

// builtinFields are the fields by which kube-apiserver selects built-in kinds, besides name and namespace.
var builtinFields = map[string][]string{
	"Secret":    {"type"},
	"Namespace": {"status.phase"},
	"Pod": {"spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "status.phase", "status.podIP",
		"status.nominatedNodeName"},
	"Event": {"involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid", "involvedObject.apiVersion",
		"involvedObject.resourceVersion", "involvedObject.fieldPath", "reason", "type"},
}

var builtinKinds = slices.Concat(coreKinds, workloadKinds, policyKinds, clusterKinds)

var coreKinds = []builtinKind{
	{corev1.SchemeGroupVersion, "Namespace", HasStatus | ReturnsDeleted, "ns"},
	{corev1.SchemeGroupVersion, "ConfigMap", Namespaced, "cm"},
	{corev1.SchemeGroupVersion, "Secret", Namespaced, ""},
	{corev1.SchemeGroupVersion, "ServiceAccount", Namespaced | ReturnsDeleted, "sa"},
	{corev1.SchemeGroupVersion, "Service", Namespaced | HasStatus | CreatesOnUpdate | ReturnsDeleted, "svc"},
	{corev1.SchemeGroupVersion, "Endpoints", Namespaced | CreatesOnUpdate, "ep"},
	{corev1.SchemeGroupVersion, "Pod", Namespaced | specAndStatus | ReturnsDeleted, "po"},
	{corev1.SchemeGroupVersion, "PodTemplate", Namespaced | HasGeneration | ReturnsDeleted, ""},
	{corev1.SchemeGroupVersion, "ReplicationController", Namespaced | specAndStatus, "rc"},
	{corev1.SchemeGroupVersion, "Node", HasStatus, "no"},
	{corev1.SchemeGroupVersion, "Event", Namespaced | CreatesOnUpdate, "ev"},
	{corev1.SchemeGroupVersion, "PersistentVolumeClaim", Namespaced | HasStatus | ReturnsDeleted, "pvc"},
	{corev1.SchemeGroupVersion, "PersistentVolume", HasStatus | ReturnsDeleted, "pv"},
	{corev1.SchemeGroupVersion, "ResourceQuota", Namespaced | HasStatus | ReturnsDeleted, "quota"},
	{corev1.SchemeGroupVersion, "LimitRange", Namespaced, "limits"},
}

var workloadKinds = []builtinKind{
	{appsv1.SchemeGroupVersion, "Deployment", Namespaced | specAndStatus | CountsAnnotations, "deploy"},
	{appsv1.SchemeGroupVersion, "ReplicaSet", Namespaced | specAndStatus, "rs"},
	{appsv1.SchemeGroupVersion, "StatefulSet", Namespaced | specAndStatus, "sts"},
	{appsv1.SchemeGroupVersion, "DaemonSet", Namespaced | specAndStatus, "ds"},
	{appsv1.SchemeGroupVersion, "ControllerRevision", Namespaced, ""},
	{batchv1.SchemeGroupVersion, "Job", Namespaced | specAndStatus, ""},
	{batchv1.SchemeGroupVersion, "CronJob", Namespaced | specAndStatus, "cj"},
	{autoscalingv2.SchemeGroupVersion, "HorizontalPodAutoscaler", Namespaced | HasStatus, "hpa"},
	{policyv1.SchemeGroupVersion, "PodDisruptionBudget", Namespaced | specAndStatus | RequiresVersion, "pdb"},
	{coordinationv1.SchemeGroupVersion, "Lease", Namespaced | CreatesOnUpdate | RequiresVersion, ""},
	{discoveryv1.SchemeGroupVersion, "EndpointSlice", Namespaced | HasGeneration, ""},
}

var policyKinds = []builtinKind{
	{rbacv1.SchemeGroupVersion, "Role", Namespaced | CreatesOnUpdate, ""},
	{rbacv1.SchemeGroupVersion, "RoleBinding", Namespaced | CreatesOnUpdate, ""},
	{rbacv1.SchemeGroupVersion, "ClusterRole", CreatesOnUpdate, ""},
	{rbacv1.SchemeGroupVersion, "ClusterRoleBinding", CreatesOnUpdate, ""},
	{networkingv1.SchemeGroupVersion, "NetworkPolicy", Namespaced | HasGeneration, "netpol"},
	{networkingv1.SchemeGroupVersion, "Ingress", Namespaced | specAndStatus, "ing"},
	{networkingv1.SchemeGroupVersion, "IngressClass", HasGeneration, ""},
	{admissionregistrationv1.SchemeGroupVersion, "ValidatingWebhookConfiguration", HasGeneration | RequiresVersion, ""},
	{admissionregistrationv1.SchemeGroupVersion, "MutatingWebhookConfiguration", HasGeneration | RequiresVersion, ""},
	{admissionregistrationv1.SchemeGroupVersion, "ValidatingAdmissionPolicy", specAndStatus | RequiresVersion, ""},
	{admissionregistrationv1.SchemeGroupVersion, "ValidatingAdmissionPolicyBinding", HasGeneration | RequiresVersion, ""},
	{admissionregistrationv1.SchemeGroupVersion, "MutatingAdmissionPolicy", HasGeneration | RequiresVersion, ""},
	{admissionregistrationv1.SchemeGroupVersion, "MutatingAdmissionPolicyBinding", HasGeneration | RequiresVersion, ""},
	{authorizationv1.SchemeGroupVersion, "SelfSubjectAccessReview", IsReview, ""},
	{authorizationv1.SchemeGroupVersion, "SelfSubjectRulesReview", IsReview, ""},
	{authorizationv1.SchemeGroupVersion, "SubjectAccessReview", IsReview, ""},
	{authorizationv1.SchemeGroupVersion, "LocalSubjectAccessReview", Namespaced | IsReview, ""},
}

var clusterKinds = []builtinKind{
	{apiextensionsv1.SchemeGroupVersion, "CustomResourceDefinition", specAndStatus | RequiresVersion, "crd crds"},
	{apiregistrationv1.SchemeGroupVersion, "APIService", HasStatus | RequiresVersion, ""},
	{schedulingv1.SchemeGroupVersion, "PriorityClass", HasGeneration, "pc"},
	{storagev1.SchemeGroupVersion, "StorageClass", 0, "sc"},
	{storagev1.SchemeGroupVersion, "CSIDriver", RequiresVersion, ""},
	{storagev1.SchemeGroupVersion, "CSINode", 0, ""},
	{storagev1.SchemeGroupVersion, "CSIStorageCapacity", Namespaced, ""},
	{storagev1.SchemeGroupVersion, "VolumeAttachment", HasStatus, ""},
	{nodev1.SchemeGroupVersion, "RuntimeClass", 0, ""},
	{certificatesv1.SchemeGroupVersion, "CertificateSigningRequest", HasStatus, "csr"},
	{flowcontrolv1.SchemeGroupVersion, "FlowSchema", specAndStatus, ""},
	{flowcontrolv1.SchemeGroupVersion, "PriorityLevelConfiguration", specAndStatus, ""},
}

// kindsInAll are the kinds in category "all", which kubectl lists by that name.
var kindsInAll = []string{
	"Pod", "ReplicationController", "Service", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "CronJob",
	"HorizontalPodAutoscaler",
}

// builtinResources returns the resources of the built-in kinds.
func builtinResources(types *builtinTypes) []*Resource {
	var found []*Resource
	for _, kind := range builtinKinds {
		plural, singular := meta.UnsafeGuessKindToResource(kind.WithKind(kind.kind))
		one := &Resource{
			GroupVersionResource: plural, Traits: kind.Traits, Kind: kind.kind, Singular: singular.Resource,
			ShortNames: strings.Fields(kind.shortNames), Selectable: builtinFields[kind.kind],
			schema: &builtinSchema{types: types, kind: kind.WithKind(kind.kind)},
		}
		if slices.Contains(kindsInAll, kind.kind) {
			one.Categories = []string{"all"}
		}
		found = append(found, one)
	}
	return found
}
