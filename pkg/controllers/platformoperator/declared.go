package platformoperator

import (
	"k8s.io/apimachinery/pkg/api/meta"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// What is installed, and what is being moved to, stand with the last OpenShift version that they run on, because the upgrade gate
// goes by status. Catalogs change their word without a hop, and a bundle's own files are known when they have been unpacked, so that
// both are asked at every sync; a source that cannot be asked leaves what is recorded.

// asked is what the catalogs were asked for an operator, and what they have; nil where nobody looked at them.
type asked struct {
	request resolve.Request
	offers  []resolve.Catalog
}

// settleDeclared brings up to date what a bundle of status says of its olm.maxOpenShiftVersion.
func (s *state) settleDeclared(bundle *platformv1alpha1.InstalledBundle) {
	recorded := *bundle
	for _, known := range []*platformv1alpha1.InstalledBundle{s.before.Status.Installed, underWay(s.before.Status.Target)} {
		if known != nil && sameBundle(*known, *bundle) {
			recorded = *known // what came with the record is of when its hop began
			break
		}
	}
	setDeclared(bundle, compat.Settle(declaredBy(recorded), s.catalogsOn(*bundle), s.filesOn(*bundle)))
}

func declaredBy(bundle platformv1alpha1.InstalledBundle) compat.Declaration {
	return compat.Declaration{Raw: rawOf(bundle), From: bundle.MaxOpenShiftVersionFrom}
}

// rawOf gives the values of a bundle's declaration as compat reads them.
func rawOf(bundle platformv1alpha1.InstalledBundle) []string {
	return compat.Recalled(bundle.MaxOpenShiftVersion, bundle.UnreadableMaxOpenShiftVersions)
}

func setDeclared(bundle *platformv1alpha1.InstalledBundle, declared compat.Declaration) {
	bundle.MaxOpenShiftVersion, bundle.UnreadableMaxOpenShiftVersions = compat.Record(declared.Raw)
	bundle.MaxOpenShiftVersionFrom = declared.From
}

// catalogsOn is what the catalogs say of a bundle.
func (s *state) catalogsOn(bundle platformv1alpha1.InstalledBundle) compat.Statement {
	if s.asked == nil {
		return compat.Statement{}
	}
	return resolve.DeclaredOf(s.asked.request, s.asked.offers, resolve.Holding{
		Bundle: bundle.Bundle, Catalog: bundle.Catalog, Same: func(image string) bool { return sameImage(image, bundle.Image) },
	})
}

// filesOn is what a bundle's own files say, as the BundleDeployment tells of them: of the newest revision, and of the active one
// while that is another.
func (s *state) filesOn(bundle platformv1alpha1.InstalledBundle) compat.Statement {
	if s.deployment == nil || s.record == nil || outdated(s.deployment) {
		return compat.Statement{}
	}
	status := s.deployment.Status
	files := status.ActiveBundle
	if sameBundle(*s.record, bundle) {
		if files = status.Bundle; !meta.IsStatusConditionTrue(status.Conditions, corev1alpha2.ConditionHasValidBundle) {
			return compat.Statement{} // it still tells of the revision before
		}
	} else if files != nil && files.Name != bundle.Bundle {
		return compat.Statement{}
	}
	if files == nil {
		return compat.Statement{}
	}
	return compat.Statement{Known: true, Raw: files.MaxOpenShiftVersions}
}
