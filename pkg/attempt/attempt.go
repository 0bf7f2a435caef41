// Package attempt identifies the attempts to install a revision, by the settings of a BundleDeployment. It does not know which attempts
// failed: pkg/revision records those, and pkg/upgradestep compares them with the current attempt.
package attempt

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"k8s.io/utils/ptr"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// Of identifies the attempt that a BundleDeployment requests. The result is a digest, with 16 characters, of the settings that decide how
// any revision is installed, and of annotation platform.openshift.io/retry. A revision that missed its deadline is tried again when the
// digest changes. The digest does not include the source and the configuration: a different source or configuration is a different
// revision.
func Of(deployment *corev1alpha2.BundleDeployment) string {
	spec := deployment.Spec
	text, err := json.Marshal([]any{
		cmp.Or(spec.Adoption, corev1alpha2.AdoptionSamePackage),
		ptr.Deref(spec.ProgressDeadlineSeconds, corev1alpha2.DefaultProgressDeadlineSeconds),
		deployment.Annotations[platformv1alpha1.AnnotationRetry],
	})
	if err != nil {
		return "" // not reached: these are strings and a number
	}
	digest := sha256.Sum256(text)
	return hex.EncodeToString(digest[:8])
}

// RepeatedWhen returns the change in the cluster after which a failed attempt is repeated, preceded by a comma so that it fits into a list
// of causes. It is empty if there is no such change. The arguments are the fields of status.revisions with these names. An older manager
// did not record the missing kinds, and without them the attempt is not repeated.
func RepeatedWhen(failedFor corev1alpha2.FailedFor, kindsMissing []corev1alpha2.MissingKind) string {
	switch {
	case failedFor == corev1alpha2.FailedForKinds && len(kindsMissing) > 0:
		return ", the cluster serves the kinds that it lacks"
	case failedFor == corev1alpha2.FailedForPermissions:
		return ", the manager has the permissions that it lacked"
	}
	return ""
}
