package registryv1

import (
	"path"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// certificateMount is one of the two paths at which OLM v0 mounts a webhook server's certificate, and at which operators read it. A renewed
// certificate appears in the same files without a restart, because the volume has the Secret as its source.
type certificateMount struct {
	volume, path      string
	certFile, keyFile string
}

var certificateMounts = [...]certificateMount{
	{"webhook-cert", "/tmp/k8s-webhook-server/serving-certs", "tls.crt", "tls.key"},
	{"apiservice-cert", "/apiserver.local.config/certificates", "apiserver.crt", "apiserver.key"},
}

// mountCertificates mounts the certificate in the Secret into every container of a pod, and into the init containers that have a mount at a
// path or with a volume name of certificateMounts. It removes these other mounts, and their volumes if nothing else mounts them, because
// generators leave volumes there whose Secrets do not exist, and a pod with such a volume never starts. The pod's containers and init
// containers must not be shared.
func mountCertificates(pod *corev1.PodSpec, secret string) {
	replaced := map[string]bool{}
	for i := range pod.InitContainers {
		if mounts := withoutCertificates(pod.InitContainers[i].VolumeMounts, replaced); len(mounts) < len(pod.InitContainers[i].VolumeMounts) {
			pod.InitContainers[i].VolumeMounts = withCertificates(mounts)
		}
	}
	for i := range pod.Containers {
		pod.Containers[i].VolumeMounts = withCertificates(withoutCertificates(pod.Containers[i].VolumeMounts, replaced))
	}
	for _, container := range slices.Concat(pod.InitContainers, pod.Containers) {
		for _, m := range container.VolumeMounts {
			delete(replaced, m.Name)
		}
	}
	pod.Volumes = slices.DeleteFunc(slices.Clone(pod.Volumes), func(v corev1.Volume) bool { return replaced[v.Name] || isCertificateVolume(v.Name) })
	for _, c := range certificateMounts {
		pod.Volumes = append(pod.Volumes, corev1.Volume{Name: c.volume, VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{
			SecretName: secret,
			Items:      []corev1.KeyToPath{{Key: corev1.TLSCertKey, Path: c.certFile}, {Key: corev1.TLSPrivateKeyKey, Path: c.keyFile}},
		}}})
	}
}

// withoutCertificates returns the mounts that have neither the path nor the volume name of a certificateMount. It adds the names of the
// volumes of the other mounts to replaced.
func withoutCertificates(mounts []corev1.VolumeMount, replaced map[string]bool) []corev1.VolumeMount {
	return slices.DeleteFunc(slices.Clone(mounts), func(m corev1.VolumeMount) bool {
		taken := isCertificateVolume(m.Name) || slices.ContainsFunc(certificateMounts[:], func(c certificateMount) bool { return path.Clean(m.MountPath) == c.path })
		if taken {
			replaced[m.Name] = true
		}
		return taken
	})
}

func withCertificates(mounts []corev1.VolumeMount) []corev1.VolumeMount {
	for _, c := range certificateMounts {
		mounts = append(mounts, corev1.VolumeMount{Name: c.volume, MountPath: c.path})
	}
	return mounts
}

func isCertificateVolume(name string) bool {
	return slices.ContainsFunc(certificateMounts[:], func(c certificateMount) bool { return c.volume == name })
}
