package builtin

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// defaultPod sets the defaults of a Pod's spec, or of the spec in a Pod template.
func defaultPod(spec *corev1.PodSpec) {
	set(&spec.DNSPolicy, corev1.DNSClusterFirst)
	set(&spec.RestartPolicy, corev1.RestartPolicyAlways)
	set(&spec.SchedulerName, corev1.DefaultSchedulerName)
	setPointer(&spec.TerminationGracePeriodSeconds, corev1.DefaultTerminationGracePeriodSeconds)
	setPointer(&spec.SecurityContext, corev1.PodSecurityContext{})
	if spec.ServiceAccountName != "" { // the deprecated field has the same value
		spec.DeprecatedServiceAccount = spec.ServiceAccountName
	}
	for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range containers {
			defaultContainer(&containers[i])
		}
	}
	for i := range spec.Volumes {
		defaultVolume(&spec.Volumes[i].VolumeSource)
	}
}

// defaultPodEnableLinks sets the default of enableServiceLinks, which kube-apiserver sets in Pods and not in Pod templates.
func defaultPodEnableLinks(spec *corev1.PodSpec) {
	setPointer(&spec.EnableServiceLinks, corev1.DefaultEnableServiceLinks)
}

func defaultContainer(container *corev1.Container) {
	set(&container.TerminationMessagePath, corev1.TerminationMessagePathDefault)
	set(&container.TerminationMessagePolicy, corev1.TerminationMessageReadFile)
	set(&container.ImagePullPolicy, pullPolicy(container.Image))
	for i := range container.Ports {
		set(&container.Ports[i].Protocol, corev1.ProtocolTCP)
	}
	for i := range container.Env {
		if from := container.Env[i].ValueFrom; from != nil && from.FieldRef != nil {
			set(&from.FieldRef.APIVersion, "v1")
		}
	}
	for _, probe := range []*corev1.Probe{container.LivenessProbe, container.ReadinessProbe, container.StartupProbe} {
		if probe != nil {
			defaultProbe(probe)
		}
	}
}

// pullPolicy returns the default pull policy of an image: IfNotPresent for a digest or a tag other than "latest", otherwise Always.
func pullPolicy(image string) corev1.PullPolicy {
	name := image[strings.LastIndex(image, "/")+1:]
	if strings.Contains(name, "@") || strings.Contains(name, ":") && !strings.HasSuffix(name, ":latest") {
		return corev1.PullIfNotPresent
	}
	return corev1.PullAlways
}

func defaultProbe(probe *corev1.Probe) {
	set(&probe.TimeoutSeconds, 1)
	set(&probe.PeriodSeconds, 10)
	set(&probe.SuccessThreshold, 1)
	set(&probe.FailureThreshold, 3)
	if get := probe.HTTPGet; get != nil {
		set(&get.Path, "/")
		set(&get.Scheme, corev1.URISchemeHTTP)
	}
	if grpc := probe.GRPC; grpc != nil {
		setPointer(&grpc.Service, "")
	}
}

func defaultVolume(volume *corev1.VolumeSource) {
	if *volume == (corev1.VolumeSource{}) {
		volume.EmptyDir = &corev1.EmptyDirVolumeSource{}
	}
	for _, mode := range volumeModes(volume) {
		setPointer(mode, corev1.SecretVolumeSourceDefaultMode)
	}
	if projected := volume.Projected; projected != nil {
		for i := range projected.Sources {
			if token := projected.Sources[i].ServiceAccountToken; token != nil {
				setPointer(&token.ExpirationSeconds, 60*60)
			}
		}
	}
}

// volumeModes returns pointers to the defaultMode fields of a volume source. All have the same default.
func volumeModes(volume *corev1.VolumeSource) (modes []**int32) {
	if volume.Secret != nil {
		modes = append(modes, &volume.Secret.DefaultMode)
	}
	if volume.ConfigMap != nil {
		modes = append(modes, &volume.ConfigMap.DefaultMode)
	}
	if volume.DownwardAPI != nil {
		modes = append(modes, &volume.DownwardAPI.DefaultMode)
	}
	if volume.Projected != nil {
		modes = append(modes, &volume.Projected.DefaultMode)
	}
	return modes
}
