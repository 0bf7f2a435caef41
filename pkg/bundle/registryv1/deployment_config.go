package registryv1

import (
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
)

// applyTo applies the configuration to a Deployment whose containers are not shared. As in OLM v0, init containers are not changed.
func (c *DeploymentConfig) applyTo(d *appsv1.Deployment) {
	if len(c.Annotations) > 0 {
		d.Annotations = mergeMaps(c.Annotations, d.Annotations)
		d.Spec.Template.Annotations = mergeMaps(c.Annotations, d.Spec.Template.Annotations)
	}
	pod := &d.Spec.Template.Spec
	if c.NodeSelector != nil {
		pod.NodeSelector = c.NodeSelector
	}
	pod.Tolerations = appendMissing(pod.Tolerations, c.Tolerations)
	pod.Affinity = mergeAffinity(pod.Affinity, c.Affinity)
	pod.Volumes = merge(pod.Volumes, c.Volumes, func(v corev1.Volume) string { return v.Name })
	for i := range pod.Containers {
		container := &pod.Containers[i]
		container.Env = mergeEnv(container.Env, c.Env)
		container.EnvFrom = appendMissing(container.EnvFrom, c.EnvFrom)
		container.VolumeMounts = mergeMounts(container.VolumeMounts, c.VolumeMounts)
		if c.Resources != nil {
			container.Resources = *c.Resources
		}
	}
}

// mergeMaps returns the entries of both maps. If both have a key, the value in upper takes precedence. lower must not be nil.
func mergeMaps(lower, upper map[string]string) map[string]string {
	both := maps.Clone(lower)
	maps.Copy(both, upper)
	return both
}

// appendMissing returns list followed by the items of more that are not in list. It does not change list.
func appendMissing[T any](list, more []T) []T {
	out := slices.Clone(list)
	for _, item := range more {
		if !slices.ContainsFunc(list, func(have T) bool { return equality.Semantic.DeepEqual(have, item) }) {
			out = append(out, item)
		}
	}
	return out
}

// merge returns list merged with others. Each item of others replaces the item of list with the same key, or is appended. merge does not
// change list.
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

// mergeEnv merges variables by name and removes duplicates, because server-side apply rejects them. As in Kubernetes, the last duplicate
// takes effect.
func mergeEnv(list, others []corev1.EnvVar) []corev1.EnvVar {
	return merge(nil, slices.Concat(list, others), func(v corev1.EnvVar) string { return v.Name })
}

// mergeMounts merges the mounts of the configuration (others) into list. Each of them replaces the mount at the same path, or else the
// mount of the same volume, or else is appended. OLM v0 compares volumes only, and creates pods with two volumes at one path, which API
// servers reject.
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

// mergeAffinity returns have with the fields of over. A field that is nil in over keeps its value, and one that is empty in over becomes
// nil. If over is nil, mergeAffinity returns have. If all of over is empty, it returns nil.
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
		merged.NodeAffinity = nilIfEmpty(over.NodeAffinity)
	}
	if over.PodAffinity != nil {
		merged.PodAffinity = nilIfEmpty(over.PodAffinity)
	}
	if over.PodAntiAffinity != nil {
		merged.PodAntiAffinity = nilIfEmpty(over.PodAntiAffinity)
	}
	if merged == (corev1.Affinity{}) {
		return nil
	}
	return &merged
}

// nilIfEmpty returns value, or nil if it points to a zero value.
func nilIfEmpty[T any](value *T) *T {
	if equality.Semantic.DeepEqual(*value, *new(T)) {
		return nil
	}
	return value
}
