package payload

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

var podRules = []rule{
	// Promise CLU-P3: The manager's Pod follows OpenShift's conventions: required SCC, restricted security context, read-only root,
	// requests without limits, priority class, tolerations, probes, and the workload annotation. A test detects each violation.
	{"CLU-P3 pods are as OpenShift's conventions want a component's to be", pods},
	{"HRD-G4 a container that is started again takes its lease back", restarts},
	// Promise HRD-B6: The Deployment's memory request covers the measured peak and not much more. Its `GOMEMLIMIT` is below the request
	// and well above the live heap.
	{"HRD-B6 memory is requested, and limited for Go's runtime, as was measured", memory},
	{"namespaces are prepared for platform components", namespaces},
}

func pods(p *payload) []string {
	return allTyped(p, "Deployment", func(o object, d appsv1.Deployment) (faults []string) {
		template := d.Spec.Template
		expect(&faults, ptr.Deref(d.Spec.Replicas, 0) == 1, "%s: replicas must be written as 1: the CVO forces the number, on one node too", o)
		expect(&faults, template.Annotations["openshift.io/required-scc"] == "restricted-v2", "%s: pods do not require SCC restricted-v2", o)
		expect(&faults, template.Annotations["target.workload.openshift.io/management"] == `{"effect": "PreferredDuringScheduling"}`,
			"%s: pods lack the annotation for workload partitioning", o)
		for _, check := range []func(corev1.PodSpec) []string{scheduling, podSecurity, volumes} {
			for _, fault := range check(template.Spec) {
				faults = append(faults, o.String()+": "+fault)
			}
		}
		for _, container := range slices.Concat(template.Spec.InitContainers, template.Spec.Containers) {
			for _, check := range []func(corev1.Container) []string{resources, containerSecurity, lifecycle, probes} {
				for _, fault := range check(container) {
					faults = append(faults, o.String()+": container "+container.Name+": "+fault)
				}
			}
		}
		return faults
	})
}

func scheduling(pod corev1.PodSpec) (faults []string) {
	expect(&faults, pod.PriorityClassName == "system-cluster-critical", "priority class %q, want system-cluster-critical", pod.PriorityClassName)
	expect(&faults, pod.NodeSelector["kubernetes.io/os"] == "linux", "the node selector does not ask for Linux")
	_, master := pod.NodeSelector["node-role.kubernetes.io/master"]
	expect(&faults, master, "the node selector does not ask for the control plane")
	expect(&faults, pod.Affinity == nil, "affinity makes no sense for one replica")
	tolerated := map[string]corev1.Toleration{}
	for _, toleration := range pod.Tolerations {
		expect(&faults, toleration.Key != "" && toleration.Effect != "", "toleration %v is a blanket one", toleration)
		expect(&faults, toleration.Key != corev1.TaintNodeUnschedulable, "unschedulable nodes are tolerated, which would hold up draining them")
		tolerated[toleration.Key] = toleration
	}
	expect(&faults, tolerated["node-role.kubernetes.io/master"].Effect == corev1.TaintEffectNoSchedule, "the control plane's taint is not tolerated")
	for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		expect(&faults, ptr.Deref(tolerated[key].TolerationSeconds, 0) == 120, "%s is not tolerated for 120 seconds", key)
	}
	return faults
}

func podSecurity(pod corev1.PodSpec) (faults []string) {
	expect(&faults, pod.ServiceAccountName == account, "service account %q, want %q", pod.ServiceAccountName, account)
	expect(&faults, !pod.HostNetwork && !pod.HostPID && !pod.HostIPC, "a namespace of the host is used")
	security := ptr.Deref(pod.SecurityContext, corev1.PodSecurityContext{})
	expect(&faults, ptr.Deref(security.RunAsNonRoot, false), "runAsNonRoot is not set")
	expect(&faults, security.SeccompProfile != nil && security.SeccompProfile.Type == corev1.SeccompProfileTypeRuntimeDefault, "the seccomp profile is not RuntimeDefault")
	expect(&faults, security.RunAsUser == nil && security.FSGroup == nil, "a user or group is fixed; restricted-v2 chooses them")
	return faults
}

// volumes says whether everything that is mounted exists, and whether there is somewhere to write.
func volumes(pod corev1.PodSpec) (faults []string) {
	known := map[string]corev1.Volume{}
	for _, volume := range pod.Volumes {
		known[volume.Name] = volume
		expect(&faults, volume.HostPath == nil, "volume %q is of the host", volume.Name)
		if volume.EmptyDir != nil {
			expect(&faults, volume.EmptyDir.SizeLimit != nil, "volume %q may fill the node's disk: it has no sizeLimit", volume.Name)
		}
	}
	for _, container := range pod.Containers {
		writable := map[string]bool{}
		for _, mount := range container.VolumeMounts {
			expect(&faults, known[mount.Name].Name != "", "container %q mounts %q, which is no volume", container.Name, mount.Name)
			writable[mount.MountPath] = known[mount.Name].EmptyDir != nil && !mount.ReadOnly
		}
		expect(&faults, writable["/tmp"], "container %q cannot write to /tmp: self-signed certificates are made there", container.Name)
		for _, arg := range container.Args {
			if dir, found := strings.CutPrefix(arg, "--content-dir="); found {
				expect(&faults, slices.ContainsFunc(container.VolumeMounts, func(m corev1.VolumeMount) bool {
					return writable[m.MountPath] && strings.HasPrefix(dir, m.MountPath+"/")
				}), "container %q cannot write to %s", container.Name, dir)
			}
			if file, found := strings.CutPrefix(arg, "--leader-elect-lock-file="); found {
				faults = append(faults, lockFile(container, file, writable)...)
			}
			if _, file, found := strings.Cut(arg, "=/var/run/"); found {
				expect(&faults, slices.ContainsFunc(container.VolumeMounts, func(m corev1.VolumeMount) bool {
					return strings.HasPrefix("/var/run/"+file, m.MountPath+"/")
				}), "container %q is told to read /var/run/%s, where nothing is mounted", container.Name, file)
			}
		}
	}
	return faults
}

// lockFile is what a container that was started again needs to take its lease back: the file outlives the container and not the
// pod, the content directory does not remove it, and the container knows its pod.
func lockFile(container corev1.Container, file string, writable map[string]bool) (faults []string) {
	expect(&faults, slices.ContainsFunc(container.VolumeMounts, func(m corev1.VolumeMount) bool {
		return writable[m.MountPath] && strings.HasPrefix(file, m.MountPath+"/")
	}), "container %q: %s is not on an emptyDir volume of the pod", container.Name, file)
	for _, arg := range container.Args {
		if dir, found := strings.CutPrefix(arg, "--content-dir="); found {
			expect(&faults, !strings.HasPrefix(file, dir+"/"), "container %q: %s is in the content directory, which removes what is no content", container.Name, file)
		}
	}
	for name, path := range map[string]string{"POD_NAME": "metadata.name", "POD_UID": "metadata.uid"} {
		expect(&faults, slices.ContainsFunc(container.Env, func(env corev1.EnvVar) bool {
			return env.Name == name && env.ValueFrom != nil && env.ValueFrom.FieldRef != nil && env.ValueFrom.FieldRef.FieldPath == path
		}), "container %q does not know %s as %s", container.Name, path, name)
	}
	return faults
}

// restarts says whether a manager whose container is started again takes its lease back.
func restarts(p *payload) []string {
	return allTyped(p, "Deployment", func(o object, d appsv1.Deployment) (faults []string) {
		for _, container := range d.Spec.Template.Spec.Containers {
			expect(&faults, slices.ContainsFunc(container.Args, func(arg string) bool { return strings.HasPrefix(arg, "--leader-elect-lock-file=") }),
				"%s: container %q has no lock file: started again, it would wait for its own lease", o, container.Name)
		}
		return faults
	})
}

func resources(container corev1.Container) (faults []string) {
	requests := container.Resources.Requests
	expect(&faults, len(container.Resources.Limits) == 0, "limits are set; platform components have requests only")
	expect(&faults, requests.Cpu().MilliValue() >= 5 && requests.Cpu().MilliValue() <= 100, "requests %s CPU, want 5m to 100m", requests.Cpu())
	expect(&faults, !requests.Memory().IsZero(), "requests no memory")
	return faults
}

func containerSecurity(container corev1.Container) (faults []string) {
	security := ptr.Deref(container.SecurityContext, corev1.SecurityContext{})
	expect(&faults, security.AllowPrivilegeEscalation != nil && !*security.AllowPrivilegeEscalation, "privilege escalation is not forbidden")
	expect(&faults, security.Capabilities != nil && slices.Equal(security.Capabilities.Drop, []corev1.Capability{"ALL"}) && len(security.Capabilities.Add) == 0,
		"capabilities are not all dropped")
	expect(&faults, ptr.Deref(security.ReadOnlyRootFilesystem, false), "the root file system can be written to")
	expect(&faults, !ptr.Deref(security.Privileged, false), "it is privileged")
	return faults
}

func lifecycle(container corev1.Container) (faults []string) {
	expect(&faults, container.ImagePullPolicy == corev1.PullIfNotPresent, "imagePullPolicy %q, want IfNotPresent (the CVO never changes it later)", container.ImagePullPolicy)
	expect(&faults, container.TerminationMessagePolicy == corev1.TerminationMessageFallbackToLogsOnError,
		"terminationMessagePolicy %q, want FallbackToLogsOnError (the CVO never changes it later)", container.TerminationMessagePolicy)
	for _, port := range container.Ports {
		expect(&faults, port.HostPort == 0, "port %d is taken on the host", port.ContainerPort)
	}
	return faults
}

func probes(container corev1.Container) (faults []string) {
	for name, probe := range map[string]*corev1.Probe{"/livez": container.LivenessProbe, "/readyz": container.ReadinessProbe} {
		if probe == nil || probe.HTTPGet == nil {
			faults = append(faults, "has no HTTP probe of "+name)
			continue
		}
		expect(&faults, probe.HTTPGet.Path == name && probe.HTTPGet.Scheme == corev1.URISchemeHTTPS, "probes %s by %s, want %s by HTTPS", probe.HTTPGet.Path, probe.HTTPGet.Scheme, name)
		expect(&faults, slices.ContainsFunc(container.Ports, func(port corev1.ContainerPort) bool {
			return int(port.ContainerPort) == probe.HTTPGet.Port.IntValue()
		}), "probes port %s, which is none of its ports", probe.HTTPGet.Port.String())
	}
	return faults
}

func namespaces(p *payload) []string {
	return allTyped(p, "Namespace", func(o object, ns corev1.Namespace) (faults []string) {
		for key, want := range map[string]string{
			"openshift.io/cluster-monitoring":    "true",
			"pod-security.kubernetes.io/enforce": "restricted",
			"pod-security.kubernetes.io/audit":   "restricted",
			"pod-security.kubernetes.io/warn":    "restricted",
		} {
			expect(&faults, ns.Labels[key] == want, "%s: label %s is %q, want %q", o, key, ns.Labels[key], want)
		}
		selector, found := ns.Annotations["openshift.io/node-selector"]
		expect(&faults, found && selector == "", "%s: annotation openshift.io/node-selector must be there and empty, else the cluster's default keeps pods off the control plane", o)
		expect(&faults, ns.Annotations["workload.openshift.io/allowed"] == "management", "%s: workload partitioning is not allowed", o)
		_, runLevel := ns.Labels["openshift.io/run-level"]
		expect(&faults, !runLevel, "%s: has a run level, which switches SCCs off", o)
		return faults
	})
}
