package builtin

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// addDefaults adds kube-apiserver's defaulting functions for the kinds that operators ship to the scheme. A strategy cannot set the
// defaults, because it runs after managed fields are computed: the defaults would look like changes by the client that wrote the object.
func addDefaults(scheme *runtime.Scheme) {
	addDefault(scheme, func(o *corev1.Namespace) { labelNamespace(o) })
	addDefault(scheme, defaultSecret)
	addDefault(scheme, defaultService)
	addDefault(scheme, func(o *corev1.Pod) { defaultPod(&o.Spec); defaultPodEnableLinks(&o.Spec) })
	addDefault(scheme, defaultDeployment)
	addDefault(scheme, func(o *appsv1.ReplicaSet) {
		setPointer(&o.Spec.Replicas, 1)
		defaultPod(&o.Spec.Template.Spec)
	})
	addDefault(scheme, defaultStatefulSet)
	addDefault(scheme, defaultDaemonSet)
	addDefault(scheme, defaultJob)
	addDefault(scheme, defaultCronJob)
	addDefault(scheme, defaultAutoscaler)
	addStorageDefaults(scheme)
	addDefault(scheme, func(o *schedulingv1.PriorityClass) { setPointer(&o.PreemptionPolicy, corev1.PreemptLowerPriority) })
	addDefault(scheme, func(o *discoveryv1.EndpointSlice) {
		for i := range o.Ports {
			setPointer(&o.Ports[i].Name, "")
			setPointer(&o.Ports[i].Protocol, corev1.ProtocolTCP)
		}
	})
	addDefault(scheme, func(o *rbacv1.ClusterRoleBinding) {
		set(&o.RoleRef.APIGroup, rbacv1.GroupName)
		defaultSubjects(o.Subjects)
	})
	addDefault(scheme, func(o *rbacv1.RoleBinding) {
		set(&o.RoleRef.APIGroup, rbacv1.GroupName)
		defaultSubjects(o.Subjects)
	})
	addDefault(scheme, defaultNetworkPolicy)
	addDefault(scheme, func(o *networkingv1.IngressClass) {
		if o.Spec.Parameters != nil {
			setPointer(&o.Spec.Parameters.Scope, networkingv1.IngressClassParametersReferenceScopeCluster)
		}
	})
	addDefault(scheme, func(o *admissionregistrationv1.ValidatingWebhookConfiguration) {
		for i := range o.Webhooks {
			webhook := &o.Webhooks[i]
			defaultWebhook(&webhook.FailurePolicy, &webhook.MatchPolicy, &webhook.TimeoutSeconds, &webhook.ClientConfig, webhook.Rules)
			setPointer(&webhook.NamespaceSelector, emptySelector)
			setPointer(&webhook.ObjectSelector, emptySelector)
		}
	})
	addDefault(scheme, func(o *admissionregistrationv1.MutatingWebhookConfiguration) {
		for i := range o.Webhooks {
			webhook := &o.Webhooks[i]
			defaultWebhook(&webhook.FailurePolicy, &webhook.MatchPolicy, &webhook.TimeoutSeconds, &webhook.ClientConfig, webhook.Rules)
			setPointer(&webhook.NamespaceSelector, emptySelector)
			setPointer(&webhook.ObjectSelector, emptySelector)
			setPointer(&webhook.ReinvocationPolicy, admissionregistrationv1.NeverReinvocationPolicy)
		}
	})
	addDefault(scheme, func(o *admissionregistrationv1.ValidatingAdmissionPolicy) {
		setPointer(&o.Spec.FailurePolicy, admissionregistrationv1.Fail)
		defaultMatch(o.Spec.MatchConstraints)
	})
	addDefault(scheme, func(o *admissionregistrationv1.ValidatingAdmissionPolicyBinding) { defaultMatch(o.Spec.MatchResources) })
}

// addDefault registers the defaulting function of a kind.
func addDefault[T any](scheme *runtime.Scheme, complete func(*T)) {
	object := any(new(T)).(runtime.Object)
	scheme.AddTypeDefaultingFunc(object, func(object any) { complete(object.(*T)) })
}

func set[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func setPointer[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}

func defaultDeployment(o *appsv1.Deployment) {
	setPointer(&o.Spec.Replicas, 1)
	setPointer(&o.Spec.RevisionHistoryLimit, 10)
	setPointer(&o.Spec.ProgressDeadlineSeconds, 600)
	set(&o.Spec.Strategy.Type, appsv1.RollingUpdateDeploymentStrategyType)
	if o.Spec.Strategy.Type == appsv1.RollingUpdateDeploymentStrategyType {
		setPointer(&o.Spec.Strategy.RollingUpdate, appsv1.RollingUpdateDeployment{})
		setPointer(&o.Spec.Strategy.RollingUpdate.MaxUnavailable, intstr.FromString("25%"))
		setPointer(&o.Spec.Strategy.RollingUpdate.MaxSurge, intstr.FromString("25%"))
	}
	defaultPod(&o.Spec.Template.Spec)
}

func defaultStatefulSet(o *appsv1.StatefulSet) {
	setPointer(&o.Spec.Replicas, 1)
	setPointer(&o.Spec.RevisionHistoryLimit, 10)
	set(&o.Spec.PodManagementPolicy, appsv1.OrderedReadyPodManagement)
	set(&o.Spec.UpdateStrategy.Type, appsv1.RollingUpdateStatefulSetStrategyType)
	if o.Spec.UpdateStrategy.Type == appsv1.RollingUpdateStatefulSetStrategyType {
		setPointer(&o.Spec.UpdateStrategy.RollingUpdate, appsv1.RollingUpdateStatefulSetStrategy{})
		setPointer(&o.Spec.UpdateStrategy.RollingUpdate.Partition, 0)
	}
	setPointer(&o.Spec.PersistentVolumeClaimRetentionPolicy, appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{})
	set(&o.Spec.PersistentVolumeClaimRetentionPolicy.WhenDeleted, appsv1.RetainPersistentVolumeClaimRetentionPolicyType)
	set(&o.Spec.PersistentVolumeClaimRetentionPolicy.WhenScaled, appsv1.RetainPersistentVolumeClaimRetentionPolicyType)
	defaultPod(&o.Spec.Template.Spec)
}

func defaultDaemonSet(o *appsv1.DaemonSet) {
	if o.Annotations[templateGeneration] == "" {
		metav1.SetMetaDataAnnotation(&o.ObjectMeta, templateGeneration, "0")
	}
	setPointer(&o.Spec.RevisionHistoryLimit, 10)
	set(&o.Spec.UpdateStrategy.Type, appsv1.RollingUpdateDaemonSetStrategyType)
	if o.Spec.UpdateStrategy.Type == appsv1.RollingUpdateDaemonSetStrategyType {
		setPointer(&o.Spec.UpdateStrategy.RollingUpdate, appsv1.RollingUpdateDaemonSet{})
		setPointer(&o.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable, intstr.FromInt32(1))
		setPointer(&o.Spec.UpdateStrategy.RollingUpdate.MaxSurge, intstr.FromInt32(0))
	}
	defaultPod(&o.Spec.Template.Spec)
}

func defaultService(o *corev1.Service) {
	set(&o.Spec.SessionAffinity, corev1.ServiceAffinityNone)
	set(&o.Spec.Type, corev1.ServiceTypeClusterIP)
	if o.Spec.Type != corev1.ServiceTypeExternalName {
		setPointer(&o.Spec.InternalTrafficPolicy, corev1.ServiceInternalTrafficPolicyCluster)
	}
	for i := range o.Spec.Ports {
		port := &o.Spec.Ports[i]
		set(&port.Protocol, corev1.ProtocolTCP)
		if port.TargetPort == (intstr.IntOrString{}) {
			port.TargetPort = intstr.FromInt32(port.Port)
		}
	}
}

// defaultSecret sets the default type, and moves stringData to data, because stringData is never stored.
func defaultSecret(o *corev1.Secret) {
	set(&o.Type, corev1.SecretTypeOpaque)
	if len(o.StringData) > 0 && o.Data == nil {
		o.Data = map[string][]byte{}
	}
	for name, text := range o.StringData {
		o.Data[name] = []byte(text)
	}
	o.StringData = nil
}

func defaultSubjects(subjects []rbacv1.Subject) {
	for i := range subjects {
		if kind := subjects[i].Kind; kind == rbacv1.UserKind || kind == rbacv1.GroupKind {
			set(&subjects[i].APIGroup, rbacv1.GroupName)
		}
	}
}

func defaultNetworkPolicy(o *networkingv1.NetworkPolicy) {
	for i := range o.Spec.Ingress {
		defaultPolicyPorts(o.Spec.Ingress[i].Ports)
	}
	for i := range o.Spec.Egress {
		defaultPolicyPorts(o.Spec.Egress[i].Ports)
	}
	if len(o.Spec.PolicyTypes) == 0 {
		o.Spec.PolicyTypes = []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}
		if len(o.Spec.Egress) > 0 {
			o.Spec.PolicyTypes = append(o.Spec.PolicyTypes, networkingv1.PolicyTypeEgress)
		}
	}
}

func defaultPolicyPorts(ports []networkingv1.NetworkPolicyPort) {
	for i := range ports {
		setPointer(&ports[i].Protocol, corev1.ProtocolTCP)
	}
}
