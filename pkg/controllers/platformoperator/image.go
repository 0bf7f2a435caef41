package platformoperator

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// sameBundle says whether two records are of one bundle: of one name and, as far as can be told, one image. Authors build a
// bundle anew under its name; that is another one, because another content is installed by it.
func sameBundle(a, b platformv1alpha1.InstalledBundle) bool {
	return a.Bundle == b.Bundle && sameImage(a.Image, b.Image)
}

// sameImage compares references. A digest says it all, whichever registry has it. One by tag beside one by digest of the same
// repository is how a catalog has an image and how status tells of it: they are taken for one.
func sameImage(a, b string) bool {
	if a == b {
		return true
	}
	nameA, digestA := splitDigest(a)
	nameB, digestB := splitDigest(b)
	switch {
	case digestA != "" && digestB != "":
		return digestA == digestB
	case digestA != "" || digestB != "":
		return repository(nameA) == repository(nameB)
	}
	return false
}

func splitDigest(ref string) (name, digest string) {
	name, digest, _ = strings.Cut(ref, "@")
	return name, digest
}

// repository is a name without its tag; a colon before the last slash is a port's.
func repository(name string) string {
	if colon := strings.LastIndexByte(name, ':'); colon > strings.LastIndexByte(name, '/') {
		return name[:colon]
	}
	return name
}

// keepImage is what a catalog says now of the bundle that the deployment points at, by the reference that the deployment has:
// a reference that changes nothing would be tried as if it were news. Where the catalog has the same digest in another place,
// that place is taken over when nothing can come of it but a pull that succeeds.
func (in situation) keepImage(wanted platformv1alpha1.InstalledBundle) *platformv1alpha1.InstalledBundle {
	_, digest := splitDigest(in.record.Image)
	_, offered := splitDigest(wanted.Image)
	unpullable := in.deployment != nil && meta.IsStatusConditionFalse(in.deployment.Status.Conditions, corev1alpha2.ConditionUnpacked)
	if digest != offered || !unpullable && (in.deployment == nil || !hopDone(in.deployment, false)) {
		wanted.Image = in.record.Image
	}
	return &wanted
}
