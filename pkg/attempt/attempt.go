// Package attempt identifies the attempts to install a revision, by the settings of a BundleDeployment. It does not know which attempts failed:
// pkg/revision records those, and pkg/upgradestep compares them with the present one.
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

// Of identifies the attempt that a BundleDeployment requests: it is a digest, with 16 characters, of the settings that decide how any
// revision is installed, and of annotation platform.openshift.io/retry. A revision that missed its deadline is tried again when the digest
// changes. Source and configuration are not in it: another source or another configuration is another revision.
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

// RepeatedWhen returns the change in the cluster after which a failed attempt is repeated, with a comma before it for a list of causes. It is
// empty if there is no such change. The arguments are the fields of status.revisions with these names; an older manager did not record the
// missing kinds, without which the attempt is not repeated.
func RepeatedWhen(failedFor corev1alpha2.FailedFor, kindsMissing []corev1alpha2.MissingKind) string {
	switch {
	case failedFor == corev1alpha2.FailedForKinds && len(kindsMissing) > 0:
		return ", the cluster serves the kinds that it lacks"
	case failedFor == corev1alpha2.FailedForPermissions:
		return ", the manager has the permissions that it lacked"
	}
	return ""
}
