package applyconfiguration

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// setDefaults sets the defaults of built-in kinds in fields that server-side apply replaces as a whole. Without them, each apply of such a
// field would change what the API server has stored, and no rollout would end. Other fields keep the defaults that the input has.
func setDefaults(object runtime.Object) {
	switch object := object.(type) {
	case *corev1.Pod:
		setPodDefaults(&object.Spec)
	case *appsv1.Deployment:
		setPodDefaults(&object.Spec.Template.Spec)
	case *appsv1.DaemonSet:
		setPodDefaults(&object.Spec.Template.Spec)
	case *appsv1.StatefulSet:
		setPodDefaults(&object.Spec.Template.Spec)
		setClaimDefaults(object.Spec.VolumeClaimTemplates)
	case *batchv1.Job:
		setPodDefaults(&object.Spec.Template.Spec)
	case *batchv1.CronJob:
		setPodDefaults(&object.Spec.JobTemplate.Spec.Template.Spec)
	case *networkingv1.NetworkPolicy:
		for i := range object.Spec.Ingress {
			setPortDefaults(object.Spec.Ingress[i].Ports)
		}
		for i := range object.Spec.Egress {
			setPortDefaults(object.Spec.Egress[i].Ports)
		}
	case *rbacv1.RoleBinding:
		setBindingDefaults(&object.RoleRef, object.Subjects)
	case *rbacv1.ClusterRoleBinding:
		setBindingDefaults(&object.RoleRef, object.Subjects)
	case *admissionregistrationv1.ValidatingWebhookConfiguration:
		for i := range object.Webhooks {
			setRuleDefaults(object.Webhooks[i].Rules)
		}
	case *admissionregistrationv1.MutatingWebhookConfiguration:
		for i := range object.Webhooks {
			setRuleDefaults(object.Webhooks[i].Rules)
		}
	}
}

// setDefault sets a pointer that is nil.
func setDefault[T any](pointer **T, value T) {
	if *pointer == nil {
		*pointer = &value
	}
}

func setRuleDefaults(rules []admissionregistrationv1.RuleWithOperations) {
	for i := range rules {
		setDefault(&rules[i].Scope, admissionregistrationv1.AllScopes)
	}
}

func setPortDefaults(ports []networkingv1.NetworkPolicyPort) {
	for i := range ports {
		setDefault(&ports[i].Protocol, corev1.ProtocolTCP)
	}
}

func setBindingDefaults(role *rbacv1.RoleRef, subjects []rbacv1.Subject) {
	if role.APIGroup == "" {
		role.APIGroup = rbacv1.GroupName
	}
	for i := range subjects {
		if subjects[i].APIGroup == "" && subjects[i].Kind != rbacv1.ServiceAccountKind {
			subjects[i].APIGroup = rbacv1.GroupName
		}
	}
}

func setClaimDefaults(claims []corev1.PersistentVolumeClaim) {
	for i := range claims {
		setDefault(&claims[i].Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
		if claims[i].Status.Phase == "" {
			claims[i].Status.Phase = corev1.ClaimPending
		}
	}
}

func setPodDefaults(pod *corev1.PodSpec) {
	for _, containers := range [][]corev1.Container{pod.InitContainers, pod.Containers} {
		for i := range containers {
			for j := range containers[i].Env {
				if from := containers[i].Env[j].ValueFrom; from != nil {
					setFieldDefaults(from.FieldRef)
				}
			}
		}
	}
	for i := range pod.Volumes {
		if volume := pod.Volumes[i].DownwardAPI; volume != nil {
			setDownwardDefaults(volume.Items)
		}
		if volume := pod.Volumes[i].Projected; volume != nil {
			for j := range volume.Sources {
				if source := volume.Sources[j].DownwardAPI; source != nil {
					setDownwardDefaults(source.Items)
				}
				if token := volume.Sources[j].ServiceAccountToken; token != nil {
					setDefault(&token.ExpirationSeconds, int64(60*60))
				}
			}
		}
	}
}

func setDownwardDefaults(items []corev1.DownwardAPIVolumeFile) {
	for i := range items {
		setFieldDefaults(items[i].FieldRef)
	}
}

func setFieldDefaults(field *corev1.ObjectFieldSelector) {
	if field != nil && field.APIVersion == "" {
		field.APIVersion = "v1"
	}
}
