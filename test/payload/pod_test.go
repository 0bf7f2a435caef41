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
	{"CLU-P3 pods follow OpenShift's conventions for components", pods},
	{"HRD-G4 a restarted container reacquires its lease", leaseLockFile},
	// Promise HRD-B6: The Deployment's memory request covers the measured peak and not much more. Its `GOMEMLIMIT` is below the request
	// and well above the live heap.
	{"HRD-B6 the memory request and GOMEMLIMIT follow from the measured peak", memoryRequest},
	{"namespaces have the labels and annotations of platform components", namespaces},
}

func pods(p *payload) []string {
	return allTyped(p, "Deployment", func(o object, d appsv1.Deployment) (violations []string) {
		template := d.Spec.Template
		expect(&violations, ptr.Deref(d.Spec.Replicas, 0) == 1, "%s: replicas must be 1; the CVO enforces it, on a single node too", o)
		expect(&violations, template.Annotations["openshift.io/required-scc"] == "restricted-v2", "%s: pods do not require SCC restricted-v2", o)
		expect(&violations, template.Annotations["target.workload.openshift.io/management"] == `{"effect": "PreferredDuringScheduling"}`,
			"%s: pods lack the annotation for workload partitioning", o)
		for _, check := range []func(corev1.PodSpec) []string{scheduling, podSecurity, volumes} {
			for _, violation := range check(template.Spec) {
				violations = append(violations, o.String()+": "+violation)
			}
		}
		for _, container := range slices.Concat(template.Spec.InitContainers, template.Spec.Containers) {
			for _, check := range []func(corev1.Container) []string{resources, containerSecurity, lifecycle, probes} {
				for _, violation := range check(container) {
					violations = append(violations, o.String()+": container "+container.Name+": "+violation)
				}
			}
		}
		return violations
	})
}

func scheduling(pod corev1.PodSpec) (violations []string) {
	expect(&violations, pod.PriorityClassName == "system-cluster-critical", "priority class %q, want system-cluster-critical", pod.PriorityClassName)
	expect(&violations, pod.NodeSelector["kubernetes.io/os"] == "linux", "the node selector does not select Linux")
	_, master := pod.NodeSelector["node-role.kubernetes.io/master"]
	expect(&violations, master, "the node selector does not select the control plane")
	expect(&violations, pod.Affinity == nil, "affinity has no effect with one replica")
	tolerated := map[string]corev1.Toleration{}
	for _, toleration := range pod.Tolerations {
		expect(&violations, toleration.Key != "" && toleration.Effect != "", "toleration %v has no key or no effect", toleration)
		expect(&violations, toleration.Key != corev1.TaintNodeUnschedulable, "unschedulable nodes are tolerated, which delays a drain")
		tolerated[toleration.Key] = toleration
	}
	expect(&violations, tolerated["node-role.kubernetes.io/master"].Effect == corev1.TaintEffectNoSchedule, "the control plane's taint is not tolerated")
	for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		expect(&violations, ptr.Deref(tolerated[key].TolerationSeconds, 0) == 120, "%s is not tolerated for 120 seconds", key)
	}
	return violations
}

func podSecurity(pod corev1.PodSpec) (violations []string) {
	expect(&violations, pod.ServiceAccountName == account, "service account %q, want %q", pod.ServiceAccountName, account)
	expect(&violations, !pod.HostNetwork && !pod.HostPID && !pod.HostIPC, "the pod uses a namespace of the host")
	security := ptr.Deref(pod.SecurityContext, corev1.PodSecurityContext{})
	expect(&violations, ptr.Deref(security.RunAsNonRoot, false), "runAsNonRoot is not set")
	expect(&violations, security.SeccompProfile != nil && security.SeccompProfile.Type == corev1.SeccompProfileTypeRuntimeDefault, "the seccomp profile is not RuntimeDefault")
	expect(&violations, security.RunAsUser == nil && security.FSGroup == nil, "runAsUser or fsGroup is set; restricted-v2 chooses them")
	return violations
}

// volumes checks that no volume is a hostPath or unlimited, and that every mounted volume exists. It checks that containers can write to
// /tmp and to the directories in their arguments.
func volumes(pod corev1.PodSpec) (violations []string) {
	known := map[string]corev1.Volume{}
	for _, volume := range pod.Volumes {
		known[volume.Name] = volume
		expect(&violations, volume.HostPath == nil, "volume %q is a hostPath", volume.Name)
		if volume.EmptyDir != nil {
			expect(&violations, volume.EmptyDir.SizeLimit != nil, "volume %q has no sizeLimit, so that it can fill the node's disk", volume.Name)
		}
	}
	for _, container := range pod.Containers {
		writable := map[string]bool{}
		for _, mount := range container.VolumeMounts {
			expect(&violations, known[mount.Name].Name != "", "container %q mounts volume %q, which does not exist", container.Name, mount.Name)
			writable[mount.MountPath] = known[mount.Name].EmptyDir != nil && !mount.ReadOnly
		}
		expect(&violations, writable["/tmp"], "container %q cannot write to /tmp, where library-go writes self-signed certificates", container.Name)
		for _, arg := range container.Args {
			if dir, found := strings.CutPrefix(arg, "--content-dir="); found {
				expect(&violations, slices.ContainsFunc(container.VolumeMounts, func(m corev1.VolumeMount) bool {
					return writable[m.MountPath] && strings.HasPrefix(dir, m.MountPath+"/")
				}), "container %q cannot write to %s", container.Name, dir)
			}
			if file, found := strings.CutPrefix(arg, "--leader-elect-lock-file="); found {
				violations = append(violations, lockFile(container, file, writable)...)
			}
			if _, file, found := strings.Cut(arg, "=/var/run/"); found {
				expect(&violations, slices.ContainsFunc(container.VolumeMounts, func(m corev1.VolumeMount) bool {
					return strings.HasPrefix("/var/run/"+file, m.MountPath+"/")
				}), "container %q has an argument with /var/run/%s, where no volume is mounted", container.Name, file)
			}
		}
	}
	return violations
}

// lockFile checks that a restarted container can reacquire its lease. The lock file must be on an emptyDir volume, outside the content
// directory, and the container's environment must have the pod's name and UID. writable has the mount paths of emptyDir volumes.
func lockFile(container corev1.Container, file string, writable map[string]bool) (violations []string) {
	expect(&violations, slices.ContainsFunc(container.VolumeMounts, func(m corev1.VolumeMount) bool {
		return writable[m.MountPath] && strings.HasPrefix(file, m.MountPath+"/")
	}), "container %q: %s is not on an emptyDir volume of the pod", container.Name, file)
	for _, arg := range container.Args {
		if dir, found := strings.CutPrefix(arg, "--content-dir="); found {
			expect(&violations, !strings.HasPrefix(file, dir+"/"), "container %q: %s is in the content directory, whose owner removes unknown files", container.Name, file)
		}
	}
	for name, path := range map[string]string{"POD_NAME": "metadata.name", "POD_UID": "metadata.uid"} {
		expect(&violations, slices.ContainsFunc(container.Env, func(env corev1.EnvVar) bool {
			return env.Name == name && env.ValueFrom != nil && env.ValueFrom.FieldRef != nil && env.ValueFrom.FieldRef.FieldPath == path
		}), "container %q does not have %s in variable %s", container.Name, path, name)
	}
	return violations
}

// leaseLockFile checks that every container has the argument for a lock file, with which a restarted manager reacquires its lease.
func leaseLockFile(p *payload) []string {
	return allTyped(p, "Deployment", func(o object, d appsv1.Deployment) (violations []string) {
		for _, container := range d.Spec.Template.Spec.Containers {
			expect(&violations, slices.ContainsFunc(container.Args, func(arg string) bool { return strings.HasPrefix(arg, "--leader-elect-lock-file=") }),
				"%s: container %q has no lock file, so that after a restart it waits for its own lease to expire", o, container.Name)
		}
		return violations
	})
}

func resources(container corev1.Container) (violations []string) {
	requests := container.Resources.Requests
	expect(&violations, len(container.Resources.Limits) == 0, "limits are set; platform components have requests only")
	expect(&violations, requests.Cpu().MilliValue() >= 5 && requests.Cpu().MilliValue() <= 100, "requests %s CPU, want 5m to 100m", requests.Cpu())
	expect(&violations, !requests.Memory().IsZero(), "requests no memory")
	return violations
}

func containerSecurity(container corev1.Container) (violations []string) {
	security := ptr.Deref(container.SecurityContext, corev1.SecurityContext{})
	expect(&violations, security.AllowPrivilegeEscalation != nil && !*security.AllowPrivilegeEscalation, "privilege escalation is not forbidden")
	expect(&violations, security.Capabilities != nil && slices.Equal(security.Capabilities.Drop, []corev1.Capability{"ALL"}) && len(security.Capabilities.Add) == 0,
		"capabilities are not all dropped")
	expect(&violations, ptr.Deref(security.ReadOnlyRootFilesystem, false), "the root file system is writable")
	expect(&violations, !ptr.Deref(security.Privileged, false), "the container is privileged")
	return violations
}

func lifecycle(container corev1.Container) (violations []string) {
	expect(&violations, container.ImagePullPolicy == corev1.PullIfNotPresent, "imagePullPolicy %q, want IfNotPresent (the CVO does not update it)", container.ImagePullPolicy)
	expect(&violations, container.TerminationMessagePolicy == corev1.TerminationMessageFallbackToLogsOnError,
		"terminationMessagePolicy %q, want FallbackToLogsOnError (the CVO does not update it)", container.TerminationMessagePolicy)
	for _, port := range container.Ports {
		expect(&violations, port.HostPort == 0, "port %d uses a host port", port.ContainerPort)
	}
	return violations
}

func probes(container corev1.Container) (violations []string) {
	for name, probe := range map[string]*corev1.Probe{"/livez": container.LivenessProbe, "/readyz": container.ReadinessProbe} {
		if probe == nil || probe.HTTPGet == nil {
			violations = append(violations, "has no HTTP probe of "+name)
			continue
		}
		expect(&violations, probe.HTTPGet.Path == name && probe.HTTPGet.Scheme == corev1.URISchemeHTTPS, "probes %s by %s, want %s by HTTPS", probe.HTTPGet.Path, probe.HTTPGet.Scheme, name)
		expect(&violations, slices.ContainsFunc(container.Ports, func(port corev1.ContainerPort) bool {
			return int(port.ContainerPort) == probe.HTTPGet.Port.IntValue()
		}), "probes port %s, which the container does not declare", probe.HTTPGet.Port.String())
	}
	return violations
}

func namespaces(p *payload) []string {
	return allTyped(p, "Namespace", func(o object, ns corev1.Namespace) (violations []string) {
		for key, want := range map[string]string{
			"openshift.io/cluster-monitoring":    "true",
			"pod-security.kubernetes.io/enforce": "restricted",
			"pod-security.kubernetes.io/audit":   "restricted",
			"pod-security.kubernetes.io/warn":    "restricted",
		} {
			expect(&violations, ns.Labels[key] == want, "%s: label %s is %q, want %q", o, key, ns.Labels[key], want)
		}
		selector, found := ns.Annotations["openshift.io/node-selector"]
		expect(&violations, found && selector == "", "%s: annotation openshift.io/node-selector must be present and empty, or else the cluster's default node selector excludes the control plane", o)
		expect(&violations, ns.Annotations["workload.openshift.io/allowed"] == "management", "%s: workload partitioning is not allowed", o)
		_, runLevel := ns.Labels["openshift.io/run-level"]
		expect(&violations, !runLevel, "%s: has a run level, which disables SCCs", o)
		return violations
	})
}
