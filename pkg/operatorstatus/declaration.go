package operatorstatus

import (
	"k8s.io/apimachinery/pkg/api/meta"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

// The upgrade gate reads from status the olm.maxOpenShiftVersion of each bundle. A catalog can correct it without an upgrade step, and the
// files of a bundle are known only after it is unpacked. Therefore each sync reads both sources. If a source cannot be read, the recorded
// declaration stays.

// settleDeclaration updates the olm.maxOpenShiftVersion of a bundle in status with what the catalogs and the bundle's files declare.
func (r *report) settleDeclaration(bundle *platformv1alpha1.InstalledBundle) {
	before, recorded := r.in.Operator.Status, *bundle
	for _, known := range []*platformv1alpha1.InstalledBundle{before.Installed, upgradestep.TargetBundle(before.Target)} {
		if known != nil && upgradestep.SameBundle(*known, *bundle) {
			recorded = *known // status is newer than the annotation, which dates from the start of the step
			break
		}
	}
	declared := compat.Declaration{
		Raw:  compat.Recalled(recorded.MaxOpenShiftVersion, recorded.UnreadableMaxOpenShiftVersions),
		From: recorded.MaxOpenShiftVersionFrom,
	}
	upgradestep.SetDeclaration(bundle, compat.Settle(declared, r.declaredByCatalogs(*bundle), r.declaredByFiles(*bundle)))
}

func (r *report) declaredByCatalogs(bundle platformv1alpha1.InstalledBundle) compat.Statement {
	if r.in.Catalogs == nil {
		return compat.Statement{}
	}
	return resolve.DeclaredOf(r.in.Catalogs.Request, r.in.Catalogs.Catalogs, resolve.RunningBundle{
		Bundle: bundle.Bundle, Catalog: bundle.Catalog, SameImage: func(image string) bool { return upgradestep.SameImage(image, bundle.Image) },
	})
}

// declaredByFiles returns the olm.maxOpenShiftVersion values that the bundle's own files declare, as the status of the BundleDeployment
// reports them. If that status does not describe this bundle, it returns an empty Statement.
func (r *report) declaredByFiles(bundle platformv1alpha1.InstalledBundle) compat.Statement {
	current := r.in.Current
	if current.Deployment == nil || current.Recorded == nil || upgradestep.IsStale(current.Deployment) {
		return compat.Statement{}
	}
	status := current.Deployment.Status
	files := status.ActiveBundle
	if upgradestep.SameBundle(*current.Recorded, bundle) {
		if files = status.Bundle; !meta.IsStatusConditionTrue(status.Conditions, corev1alpha2.ConditionHasValidBundle) {
			return compat.Statement{} // status still describes the former revision
		}
	} else if files != nil && files.Name != bundle.Bundle {
		return compat.Statement{}
	}
	if files == nil {
		return compat.Statement{}
	}
	return compat.Statement{Known: true, Raw: files.MaxOpenShiftVersions}
}
