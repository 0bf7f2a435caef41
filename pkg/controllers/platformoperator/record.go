package platformoperator

import (
	"encoding/json"
	"unicode/utf8"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// recordOf reads back the bundle that newDeployment recorded; nil when somebody removed or spoilt the record, so that status, where
// it goes, would not take it.
func recordOf(deployment *corev1alpha2.BundleDeployment) *platformv1alpha1.InstalledBundle {
	record := &platformv1alpha1.InstalledBundle{}
	if err := json.Unmarshal([]byte(deployment.Annotations[platformv1alpha1.AnnotationBundle]), record); err != nil || record.Bundle == "" {
		return nil
	}
	type bound struct {
		text  string
		limit int
	}
	bounds := []bound{
		{record.Bundle, 253}, {record.Version, 128}, {record.Release, 128}, {record.Channel, 253}, {record.Catalog, 600},
		{record.Image, 1000}, {record.MaxOpenShiftVersion, 128}, {record.MinKubeVersion, 128},
	}
	for _, value := range record.UnreadableMaxOpenShiftVersions {
		bounds = append(bounds, bound{value, 128})
	}
	for _, field := range bounds {
		if utf8.RuneCountInString(field.text) > field.limit {
			return nil
		}
	}
	if len(record.UnreadableMaxOpenShiftVersions) > 4 {
		return nil
	}
	if !readable(*record) {
		return nil
	}
	switch record.MaxOpenShiftVersionFrom {
	case "", platformv1alpha1.FromBundle, platformv1alpha1.FromCatalog:
		return record
	}
	return nil
}

// recordFrom finds in status what recordOf could not read back: the bundle of the image that the deployment points at; nil
// when status does not tell of it.
func recordFrom(status platformv1alpha1.PlatformOperatorStatus, deployment *corev1alpha2.BundleDeployment) *platformv1alpha1.InstalledBundle {
	if deployment.Spec.Source.Image == nil {
		return nil
	}
	ref, resolved := deployment.Spec.Source.Image.Ref, ""
	if source := deployment.Status.ResolvedSource; source != nil && source.Image != nil && deployment.Status.ObservedGeneration == deployment.Generation {
		resolved = source.Image.Ref
	}
	for _, known := range []*platformv1alpha1.InstalledBundle{underWay(status.Target), status.Installed} {
		if known != nil && (known.Image == ref || known.Image == resolved) {
			record := *known
			record.Image = ref
			if !readable(record) {
				return nil
			}
			return &record
		}
	}
	return nil
}

// readable says whether a bundle is of a format that is read here. One that is not tells nobody which class it had.
func readable(bundle platformv1alpha1.InstalledBundle) bool {
	return bundle.Format == "" || corev1alpha2.ClassOf(bundle.Format) != ""
}

// bundleOf turns a candidate into the form that is recorded.
func bundleOf(candidate resolve.Candidate) platformv1alpha1.InstalledBundle {
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
	setDeclared(&bundle, compat.Settle(compat.Declaration{}, compat.Statement{Known: true, Raw: candidate.Bundle.MaxOpenShiftVersions}, compat.Statement{}))
	return bundle
}
