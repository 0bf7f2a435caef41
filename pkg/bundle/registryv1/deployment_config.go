package registryv1

import (
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
)

// lay puts the configuration over a Deployment of which the containers are the caller's own. Init containers are left alone, as
// in OLM v0.
func (c *DeploymentConfig) lay(d *appsv1.Deployment) {
	if len(c.Annotations) > 0 {
		d.Annotations = beneath(c.Annotations, d.Annotations)
		d.Spec.Template.Annotations = beneath(c.Annotations, d.Spec.Template.Annotations)
	}
	pod := &d.Spec.Template.Spec
	if c.NodeSelector != nil {
		pod.NodeSelector = c.NodeSelector
	}
	pod.Tolerations = added(pod.Tolerations, c.Tolerations)
	pod.Affinity = mergeAffinity(pod.Affinity, c.Affinity)
	pod.Volumes = merge(pod.Volumes, c.Volumes, func(v corev1.Volume) string { return v.Name })
	for i := range pod.Containers {
		container := &pod.Containers[i]
		container.Env = mergeEnv(container.Env, c.Env)
		container.EnvFrom = added(container.EnvFrom, c.EnvFrom)
		container.VolumeMounts = mergeMounts(container.VolumeMounts, c.VolumeMounts)
		if c.Resources != nil {
			container.Resources = *c.Resources
		}
	}
}

// beneath gives both maps in one; where both have a key, the upper one's value counts.
func beneath(lower, upper map[string]string) map[string]string {
	both := maps.Clone(lower)
	maps.Copy(both, upper)
	return both
}

// added gives the list with what is not in it yet behind it.
func added[T any](list, more []T) []T {
	out := slices.Clone(list)
	for _, item := range more {
		if !slices.ContainsFunc(list, func(have T) bool { return equality.Semantic.DeepEqual(have, item) }) {
			out = append(out, item)
		}
	}
	return out
}

// merge gives the list with the others in the place of those that have their key, or behind it.
func merge[T any](list, others []T, key func(T) string) []T {
	out := slices.Clone(list)
	for _, other := range others {
		at := slices.IndexFunc(out, func(have T) bool { return key(have) == key(other) })
		if at < 0 {
			out = append(out, other)
		} else {
			out[at] = other
		}
	}
	return out
}

// mergeEnv also makes one of variables that the list has twice: of these the last counts, and server-side apply refuses them.
func mergeEnv(list, others []corev1.EnvVar) []corev1.EnvVar {
	return merge(nil, slices.Concat(list, others), func(v corev1.EnvVar) string { return v.Name })
}

// mergeMounts puts each mount of the configuration in the place of one at its path, else of one of its volume, else behind the
// list. OLM v0 looks at the volume only, and makes pods that mount two volumes at one path, which no API server takes.
func mergeMounts(list, others []corev1.VolumeMount) []corev1.VolumeMount {
	taken := map[string]bool{}
	for _, m := range others {
		taken[m.MountPath] = true
	}
	out := slices.Clone(list)
	for _, m := range others {
		at := slices.IndexFunc(out, func(have corev1.VolumeMount) bool { return have.MountPath == m.MountPath })
		if at < 0 {
			at = slices.IndexFunc(out, func(have corev1.VolumeMount) bool { return have.Name == m.Name && !taken[have.MountPath] })
		}
		if at < 0 {
			out = append(out, m)
		} else {
			out[at] = m
		}
	}
	return out
}

// mergeAffinity replaces the members that are there, and drops those that are there and empty.
func mergeAffinity(have, over *corev1.Affinity) *corev1.Affinity {
	switch {
	case over == nil:
		return have
	case *over == (corev1.Affinity{}):
		return nil
	}
	merged := corev1.Affinity{}
	if have != nil {
		merged = *have
	}
	if over.NodeAffinity != nil {
		merged.NodeAffinity = orNil(over.NodeAffinity)
	}
	if over.PodAffinity != nil {
		merged.PodAffinity = orNil(over.PodAffinity)
	}
	if over.PodAntiAffinity != nil {
		merged.PodAntiAffinity = orNil(over.PodAntiAffinity)
	}
	if merged == (corev1.Affinity{}) {
		return nil
	}
	return &merged
}

// orNil is nil for a value that is empty.
func orNil[T any](value *T) *T {
	if equality.Semantic.DeepEqual(*value, *new(T)) {
		return nil
	}
	return value
}
