package operatorstatus

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

// setInstalled sets status.installed to the bundle of the last step that is complete. Without a BundleDeployment, this is the bundle to
// restore. It is nil if no first installation is complete.
func (r *report) setInstalled() {
	status, current := &r.operator.Status, r.in.Current
	if current.Deployment == nil {
		status.Installed = upgradestep.BundleToRestore(*status)
	} else {
		if !current.WasReady() && !upgradestep.IsApplied(current.Deployment) {
			status.Installed = nil // a first installation that is not applied, or no longer applied
		}
		if upgradestep.IsComplete(current.Deployment, status.Installed == nil) && current.Recorded != nil {
			installed := *current.Recorded
			status.Installed = &installed
		}
	}
	if status.Installed == nil {
		return
	}
	r.settleDeclaration(status.Installed)
	if current.Deployment != nil {
		r.addBundleFacts(status.Installed)
	}
}

// addBundleFacts sets the image of the installed bundle to the resolved image, and its minKubeVersion from the bundle's files if the
// catalog has none. It does nothing unless the status of the BundleDeployment describes the installed bundle.
func (r *report) addBundleFacts(installed *platformv1alpha1.InstalledBundle) {
	current := r.in.Current
	if current.Recorded == nil || !upgradestep.SameBundle(*current.Recorded, *installed) || current.Deployment.Status.ObservedGeneration < current.Deployment.Generation {
		return
	}
	if resolved := current.Deployment.Status.ResolvedSource; resolved != nil && resolved.Image != nil {
		installed.Image = resolved.Image.Ref
	}
	if files := current.Deployment.Status.Bundle; files != nil && installed.MinKubeVersion == "" {
		installed.MinKubeVersion = files.MinKubeVersion
	}
}

// setTarget sets status.target to the bundle of the step that is under way, and to the versions after it on the path. It sets nil if no
// step is under way.
func (r *report) setTarget() {
	status, current := &r.operator.Status, r.in.Current
	status.Target = nil
	if current.Deployment == nil || current.Recorded == nil || upgradestep.IsNotRetried(current.Deployment) {
		return
	}
	if status.Installed != nil && upgradestep.SameBundle(*status.Installed, *current.Recorded) && upgradestep.IsApplied(current.Deployment) {
		return
	}
	bundle := *current.Recorded
	r.settleDeclaration(&bundle)
	status.Target = &platformv1alpha1.Target{Version: bundle.Version, Path: []string{bundle.Version}, Hop: &bundle}
	decision := r.decision()
	if decision.Target == nil || len(decision.Path) < 2 || decision.Path[0].Bundle.Name != bundle.Bundle {
		return
	}
	status.Target.Version, status.Target.Path = decision.Target.Bundle.Version, nil
	for _, step := range decision.Path[:min(len(decision.Path), platformv1alpha1.MaxPath)] {
		status.Target.Path = append(status.Target.Path, step.Bundle.Version)
	}
}

// installedCondition returns the Installed condition. A True condition stays True if a later step fails, and becomes False if the
// BundleDeployment is deleted.
func installedCondition(r *report) metav1.Condition {
	deployment, installed, decision := r.in.Current.Deployment, r.operator.Status.Installed, r.decision()
	switch {
	case deployment != nil && deployment.DeletionTimestamp != nil:
		return isFalse(platformv1alpha1.ReasonInstallPending, fmt.Sprintf(
			"BundleDeployment %q is being deleted, and the operator with it; it is installed again when that is done.", deployment.Name))
	case installed != nil && deployment != nil && upgradestep.IsApplied(deployment):
		return isTrue(platformv1alpha1.ReasonInstallSuccessful, fmt.Sprintf("%s is installed in namespace %q.",
			installed.Bundle, deployment.Spec.InstallNamespace))
	case r.in.Refusal != nil:
		return isFalse(platformv1alpha1.ReasonValidationFailed, r.in.Refusal.Message)
	case deployment != nil:
		installation := upgradestep.InstallationOf(deployment)
		return isFalse(installation.Reason, installation.Message+r.publisher(installation.Reason)+r.providerAdvice())
	case installed != nil:
		return isFalse(platformv1alpha1.ReasonInstallPending, fmt.Sprintf(
			"The BundleDeployment of %s was deleted, and the operator with it. The manager installs the bundle again when spec.paused is no longer set.", installed.Bundle))
	case r.isFirstReading():
		return isFalse(platformv1alpha1.ReasonInstallPending, r.firstReadingMessage())
	case decision.Chosen != nil: // paused before anything was installed
		return isFalse(platformv1alpha1.ReasonInstallPending, fmt.Sprintf("Version %s is not installed while spec.paused is set.", decision.Chosen.Bundle.Version))
	}
	return isFalse(decision.Reason, decision.Message)
}

// publisher returns a sentence that names the catalog of the bundle, so that an admin can ask the catalog's publisher. It is empty unless
// the reason is that the bundle's image cannot be unpacked, and the catalog is known.
func (r *report) publisher(reason string) string {
	recorded := r.in.Current.Recorded
	if reason != platformv1alpha1.ReasonUnpackFailed || recorded == nil || recorded.Catalog == "" {
		return ""
	}
	return fmt.Sprintf(" Catalog %s names the image.", recorded.Catalog)
}
