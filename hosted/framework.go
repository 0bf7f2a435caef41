package hosted

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

// Names that the CPO uses for all components.
const (
	priorityClass         = "hypershift-control-plane"
	controlPlaneLabel     = "hypershift.openshift.io/control-plane"
	clusterLabel          = "hypershift.openshift.io/cluster"
	hostedLabel           = "hypershift.openshift.io/hosted-control-plane"
	accountVolume         = "service-account-kubeconfig"
	adminVolume           = "kubeconfig"
	secretMode, otherMode = 0o640, 0o644
)

// complete changes the Deployment as the CPO changes the Deployment of every component. It omits the hash of the Secrets and ConfigMaps,
// which depends on their content.
func complete(plane ControlPlane, deployment *appsv1.Deployment) {
	deployment.Labels["hypershift.openshift.io/managed-by"] = "control-plane-operator"
	deployment.Spec.RevisionHistoryLimit = ptr.To[int32](2)
	template := &deployment.Spec.Template
	pod := &template.Spec
	injectKubeconfig(pod)
	injectKonnectivity(pod)
	injectProber(pod)
	for i := range pod.Volumes {
		if source := pod.Volumes[i].ConfigMap; source != nil {
			source.DefaultMode = ptr.To[int32](otherMode)
		}
		if source := pod.Volumes[i].Secret; source != nil {
			source.DefaultMode = ptr.To[int32](secretMode)
		}
	}
	for _, containers := range [][]corev1.Container{pod.InitContainers, pod.Containers} {
		for i := range containers {
			containers[i].ImagePullPolicy = corev1.PullIfNotPresent
			containers[i].TerminationMessagePolicy = corev1.TerminationMessageFallbackToLogsOnError
			if image, exists := plane.Images[containers[i].Image]; exists {
				containers[i].Image = image
			}
		}
	}
	pod.AutomountServiceAccountToken = ptr.To(needsManagementAPIServer)
	pod.PriorityClassName = priorityClass
	pod.NodeSelector = plane.NodeSelector
	label(plane, template)
	schedule(plane, pod)
}

// label sets the labels and annotations of the Pod.
func label(plane ControlPlane, template *corev1.PodTemplateSpec) {
	maps.Copy(template.Labels, map[string]string{
		"hypershift.openshift.io/control-plane-component": ComponentName,
		hostedLabel: plane.Namespace,
	})
	for name, isSet := range map[string]bool{
		"hypershift.openshift.io/need-management-kas-access": needsManagementAPIServer,
		"hypershift.openshift.io/request-serving-component":  isRequestServing,
	} {
		if isSet {
			template.Labels[name] = "true"
		}
	}
	var local []string
	for _, volume := range template.Spec.Volumes {
		if volume.EmptyDir != nil {
			local = append(local, volume.Name)
		}
	}
	template.Annotations = map[string]string{
		"hypershift.openshift.io/release-image":                        plane.ReleaseImage,
		"cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes": strings.Join(local, ","),
	}
}

// schedule sets tolerations and affinities: nodes for control planes, and nodes with other Pods of this control plane, are preferred.
func schedule(plane ControlPlane, pod *corev1.PodSpec) {
	pod.Tolerations = slices.Concat([]corev1.Toleration{
		{Key: controlPlaneLabel, Operator: corev1.TolerationOpEqual, Value: "true", Effect: corev1.TaintEffectNoSchedule},
		{Key: clusterLabel, Operator: corev1.TolerationOpEqual, Value: plane.Namespace, Effect: corev1.TaintEffectNoSchedule},
	}, plane.Tolerations)
	prefer := func(weight int32, key, value string) corev1.PreferredSchedulingTerm {
		return corev1.PreferredSchedulingTerm{Weight: weight, Preference: corev1.NodeSelectorTerm{
			MatchExpressions: []corev1.NodeSelectorRequirement{{Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{value}}},
		}}
	}
	pod.Affinity = &corev1.Affinity{
		NodeAffinity: &corev1.NodeAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{
			prefer(50, controlPlaneLabel, "true"), prefer(100, clusterLabel, plane.Namespace),
		}},
		PodAffinity: &corev1.PodAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{
			Weight: 100, PodAffinityTerm: corev1.PodAffinityTerm{
				LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{hostedLabel: plane.Namespace}}, TopologyKey: corev1.LabelHostname,
			},
		}}},
	}
}

// injectKubeconfig mounts the kubeconfig of GuestServiceAccount into the manager's container (InjectServiceAccountKubeConfig).
func injectKubeconfig(pod *corev1.PodSpec) {
	pod.Volumes = append(pod.Volumes, secretVolume(accountVolume, ComponentName+"-service-account-kubeconfig"))
	manager := &pod.Containers[0]
	manager.VolumeMounts = append(manager.VolumeMounts, corev1.VolumeMount{Name: accountVolume, MountPath: kubeconfigDir})
}

// injectKonnectivity adds the konnectivity sidecar in mode Socks5 (InjectKonnectivityContainer).
func injectKonnectivity(pod *corev1.PodSpec) {
	const kubeconfig = "/etc/kubernetes/secrets/kubeconfig"
	pod.Containers = append(pod.Containers, corev1.Container{
		Name:    "konnectivity-proxy-socks5",
		Image:   "controlplane-operator",
		Command: []string{"/usr/bin/control-plane-operator", "konnectivity-socks5-proxy"},
		Args:    []string{"run"},
		Env:     []corev1.EnvVar{{Name: "KUBECONFIG", Value: kubeconfig + "/kubeconfig"}},
		Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("10m"), corev1.ResourceMemory: resource.MustParse("30Mi"),
		}},
		StartupProbe: &corev1.Probe{
			ProbeHandler:        corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(proxyPort)}},
			InitialDelaySeconds: 5, PeriodSeconds: 2, TimeoutSeconds: 1, FailureThreshold: 30,
		},
		SecurityContext: &corev1.SecurityContext{ReadOnlyRootFilesystem: ptr.To(true)},
		VolumeMounts: []corev1.VolumeMount{
			{Name: adminVolume, MountPath: kubeconfig},
			{Name: "konnectivity-proxy-cert", MountPath: "/etc/konnectivity/proxy-client"},
			{Name: "konnectivity-proxy-ca", MountPath: "/etc/konnectivity/proxy-ca"},
			{Name: "tmp-dir", MountPath: "/tmp"},
		},
	})
	pod.Volumes = append(pod.Volumes, secretVolume("konnectivity-proxy-cert", "konnectivity-client"), corev1.Volume{
		Name: "konnectivity-proxy-ca", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: "konnectivity-ca-bundle"},
		}},
	})
}

// injectProber adds the init container that waits until the guest serves requiredAPIs (InjectAvailabilityProberContainer).
func injectProber(pod *corev1.PodSpec) {
	const kubeconfig = "/var/kubeconfig"
	command := []string{
		"/usr/bin/control-plane-operator", "availability-prober", "--target", "https://kube-apiserver:6443/readyz",
		"--kubeconfig=" + kubeconfig + "/kubeconfig",
	}
	for _, kind := range requiredAPIs() {
		command = append(command, fmt.Sprintf("--required-api=%s,%s,%s", kind.Group, kind.Version, kind.Kind))
	}
	pod.InitContainers = append(pod.InitContainers, corev1.Container{
		Name: "availability-prober", Image: "availability-prober", Command: command,
		VolumeMounts: []corev1.VolumeMount{{Name: accountVolume, MountPath: kubeconfig}},
	})
}

func secretVolume(name, secret string) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: secret}}}
}
