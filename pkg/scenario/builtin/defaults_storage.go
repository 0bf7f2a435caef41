package builtin

import (
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

func addStorageDefaults(scheme *runtime.Scheme) {
	addDefault(scheme, func(o *corev1.PersistentVolumeClaim) {
		setPointer(&o.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
	})
	addDefault(scheme, func(o *corev1.PersistentVolume) {
		set(&o.Spec.PersistentVolumeReclaimPolicy, corev1.PersistentVolumeReclaimRetain)
		setPointer(&o.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
	})
	addDefault(scheme, func(o *storagev1.StorageClass) {
		setPointer(&o.ReclaimPolicy, corev1.PersistentVolumeReclaimDelete)
		setPointer(&o.VolumeBindingMode, storagev1.VolumeBindingImmediate)
	})
	addDefault(scheme, func(o *storagev1.CSIDriver) {
		setPointer(&o.Spec.AttachRequired, true)
		setPointer(&o.Spec.PodInfoOnMount, false)
		setPointer(&o.Spec.StorageCapacity, false)
		setPointer(&o.Spec.FSGroupPolicy, storagev1.ReadWriteOnceWithFSTypeFSGroupPolicy)
		setPointer(&o.Spec.RequiresRepublish, false)
		setPointer(&o.Spec.SELinuxMount, false)
		if len(o.Spec.VolumeLifecycleModes) == 0 {
			o.Spec.VolumeLifecycleModes = []storagev1.VolumeLifecycleMode{storagev1.VolumeLifecyclePersistent}
		}
	})
}
