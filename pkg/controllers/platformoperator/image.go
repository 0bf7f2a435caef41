package platformoperator

import (
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
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
// repository, be it written in full or in short, is how a catalog has an image and how status tells of it: they are taken for one.
func sameImage(a, b string) bool {
	if a == b {
		return true
	}
	digestA, digestB := digestOf(a), digestOf(b)
	switch {
	case digestA != "" && digestB != "":
		return digestA == digestB
	case digestA != "" || digestB != "":
		return repository(a) == repository(b)
	}
	return false
}

func digestOf(ref string) string {
	_, digest, _ := strings.Cut(ref, "@")
	return digest
}

// repository is the full name of a reference's repository, as the fetcher of images writes it.
func repository(ref string) string {
	parsed, err := name.ParseReference(ref)
	if err != nil {
		return ref
	}
	return parsed.Context().Name()
}

// runs is the bundle that the deployment points at, by its digest where status tells of that: a tag does not say which image runs.
func (in situation) runs() platformv1alpha1.InstalledBundle {
	if in.installed != nil && digestOf(in.record.Image) == "" && sameBundle(*in.installed, *in.record) {
		return *in.installed
	}
	return *in.record
}

// keepImage is what a catalog says now of the bundle that the deployment points at, by the reference that the deployment has:
// a reference that changes nothing would be tried as if it were news. Where the catalog has the same digest in another place,
// that place is taken over when nothing can come of it but a pull that succeeds.
func (in situation) keepImage(wanted platformv1alpha1.InstalledBundle) *platformv1alpha1.InstalledBundle {
	digest, offered := digestOf(in.record.Image), digestOf(wanted.Image)
	unpullable := in.deployment != nil && meta.IsStatusConditionFalse(in.deployment.Status.Conditions, corev1alpha2.ConditionUnpacked)
	if digest != offered || !unpullable && (in.deployment == nil || !hopDone(in.deployment, false)) {
		wanted.Image = in.record.Image
	}
	return &wanted
}
