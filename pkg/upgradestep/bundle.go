package upgradestep

import (
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// SameBundle reports whether two records describe the same bundle. They do if they have the same name and, according to SameImage, the same
// image. A bundle that its author rebuilt under the same name is a different bundle, because it installs different content.
func SameBundle(a, b platformv1alpha1.InstalledBundle) bool {
	return a.Bundle == b.Bundle && SameImage(a.Image, b.Image)
}

// SameImage reports whether two references identify one image. If both have a digest, only the digests are compared, not the registries. If
// one has a digest and the other a tag, the repositories are compared, because status contains the digest that a catalog's tag was resolved
// to. Two different tags are two images.
func SameImage(a, b string) bool {
	if a == b {
		return true
	}
	digestA, digestB := digestOf(a), digestOf(b)
	switch {
	case digestA != "" && digestB != "":
		return digestA == digestB
	case digestA != "" || digestB != "":
		return repositoryOf(a) == repositoryOf(b)
	}
	return false
}

func digestOf(ref string) string {
	_, digest, _ := strings.Cut(ref, "@")
	return digest
}

// repositoryOf returns the full name of a reference's repository, with the same default registry as the image fetcher. It returns a
// reference that cannot be parsed unchanged.
func repositoryOf(ref string) string {
	parsed, err := name.ParseReference(ref)
	if err != nil {
		return ref
	}
	return parsed.Context().Name()
}

// BundleOf converts a candidate to the record that the API objects contain, with the olm.maxOpenShiftVersion that the candidate's catalog
// declares.
func BundleOf(candidate resolve.Candidate) platformv1alpha1.InstalledBundle {
	bundle := platformv1alpha1.InstalledBundle{
		Bundle:         candidate.Bundle.Name,
		Version:        candidate.Bundle.Version,
		Release:        candidate.Bundle.Release,
		Channel:        candidate.Channel,
		Catalog:        candidate.Catalog.String(),
		Image:          candidate.Bundle.Image,
		MinKubeVersion: candidate.Bundle.MinKubeVersion,
	}
	if format := candidate.Format(); format != corev1alpha2.FormatRegistryV1 {
		bundle.Format = format
	}
	SetDeclaration(&bundle, compat.Settle(compat.Declaration{}, compat.Statement{Known: true, Raw: candidate.Bundle.MaxOpenShiftVersions}, compat.Statement{}))
	return bundle
}

// SetDeclaration sets the olm.maxOpenShiftVersion of a bundle, and its origin.
func SetDeclaration(bundle *platformv1alpha1.InstalledBundle, declared compat.Declaration) {
	bundle.MaxOpenShiftVersion, bundle.UnreadableMaxOpenShiftVersions = compat.Record(declared.Raw)
	bundle.MaxOpenShiftVersionFrom = declared.From
}
