package upgradestep

import (
	"encoding/json"
	"slices"
	"unicode/utf8"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// RecordedBundle returns the bundle that is recorded in the annotations of a BundleDeployment. It returns nil if the record is missing or
// unreadable, exceeds the limits of status.installed, or has an unknown format.
func RecordedBundle(deployment *corev1alpha2.BundleDeployment) *platformv1alpha1.InstalledBundle {
	record := &platformv1alpha1.InstalledBundle{}
	if err := json.Unmarshal([]byte(deployment.Annotations[platformv1alpha1.AnnotationBundle]), record); err != nil || record.Bundle == "" {
		return nil
	}
	if !fitsStatus(*record) || !hasKnownFormat(*record) {
		return nil
	}
	return record
}

// fitsStatus reports whether a record is within the limits that the API has for status.installed.
func fitsStatus(record platformv1alpha1.InstalledBundle) bool {
	type field struct {
		text  string
		limit int
	}
	fields := []field{
		{record.Bundle, 253}, {record.Version, 128}, {record.Release, 128}, {record.Channel, 253}, {record.Catalog, 600},
		{record.Image, 1000}, {record.MaxOpenShiftVersion, 128}, {record.MinKubeVersion, 128},
	}
	for _, value := range record.UnreadableMaxOpenShiftVersions {
		fields = append(fields, field{value, 128})
	}
	tooLong := func(f field) bool { return utf8.RuneCountInString(f.text) > f.limit }
	if slices.ContainsFunc(fields, tooLong) || len(record.UnreadableMaxOpenShiftVersions) > 4 {
		return false
	}
	return slices.Contains([]string{"", platformv1alpha1.FromBundle, platformv1alpha1.FromCatalog}, record.MaxOpenShiftVersionFrom)
}

// hasKnownFormat reports whether this manager has a ProvisionerClass for the format of a bundle.
func hasKnownFormat(bundle platformv1alpha1.InstalledBundle) bool {
	return bundle.Format == "" || corev1alpha2.ClassOf(bundle.Format) != ""
}

// recordFromStatus returns the bundle in status whose image the BundleDeployment runs, in place of a record that RecordedBundle cannot
// read. It returns nil if status does not have that image, or if the bundle has an unknown format.
func recordFromStatus(status platformv1alpha1.PlatformOperatorStatus, deployment *corev1alpha2.BundleDeployment) *platformv1alpha1.InstalledBundle {
	if deployment.Spec.Source.Image == nil {
		return nil
	}
	ref, resolved := deployment.Spec.Source.Image.Ref, ""
	if source := deployment.Status.ResolvedSource; source != nil && source.Image != nil && deployment.Status.ObservedGeneration == deployment.Generation {
		resolved = source.Image.Ref
	}
	for _, known := range []*platformv1alpha1.InstalledBundle{TargetBundle(status.Target), status.Installed} {
		if known != nil && (known.Image == ref || known.Image == resolved) {
			record := *known
			record.Image = ref
			if !hasKnownFormat(record) {
				return nil
			}
			return &record
		}
	}
	return nil
}

// TargetBundle returns the bundle of the step that status.target describes; nil if no step is under way.
func TargetBundle(target *platformv1alpha1.Target) *platformv1alpha1.InstalledBundle {
	if target == nil {
		return nil
	}
	return target.Hop
}
