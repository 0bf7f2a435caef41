package platformoperator

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// maxMessage bounds every condition message in bytes: enough for a sentence an object, far below what etcd minds.
const maxMessage = 2048

// report fills in the status from what was decided and from what the BundleDeployment says.
func report(_ context.Context, s *state) (bool, error) {
	status := &s.operator.Status
	if s.deployment != nil {
		status.ActiveBundleDeployment = &platformv1alpha1.ActiveBundleDeployment{Name: s.deployment.Name}
	} else {
		status.ActiveBundleDeployment = nil
		status.Installed = lost(*status) // what is put back
	}
	s.reportInstalled()
	s.reportHistory()
	s.reportTarget()
	s.reportUpdates()
	s.reportCompatibility()
	if s.deployment != nil || status.Installed == nil { // else it says where what was installed is put back
		status.RelatedObjects = relatedObjects(s.deployment)
	}
	status.Warnings = nil
	if s.deployment != nil {
		status.Warnings = s.deployment.Status.Warnings
	}
	status.Warnings = s.withNotes(status.Warnings)

	s.setFrom(platformv1alpha1.ConditionInstalled, installedCondition(s))
	s.setFrom(platformv1alpha1.ConditionProgressing, progressingCondition(s))
	s.setFrom(platformv1alpha1.ConditionHealthy, healthyCondition(s))
	s.setFrom(platformv1alpha1.ConditionUpgradeable, acknowledgedCondition(s))
	if s.refusal == nil { // else nobody looked at the catalogs
		s.setFrom(platformv1alpha1.ConditionDeprecated, deprecatedCondition(status.Installed, s.told))
	}
	return false, nil
}

// withNotes adds to the API server's warnings which catalogs cannot be read, which overrides do not count, and what of the package's
// upgrade rules could not be seen. The catalogs and the overrides come first: nothing else tells an operator that is installed of them.
func (s *state) withNotes(warnings []string) []string {
	var all []string
	for _, note := range slices.Concat(s.decision.Away, s.ignored, s.namespaceNotes(), warnings, s.decision.Notes) {
		if note = bounded(note, 1024); len(all) < 20 && !slices.Contains(all, note) {
			all = append(all, note)
		}
	}
	return all
}

// reportInstalled moves status.installed forward when a hop has succeeded: the first one when everything is applied, a
// later one when the new revision has replaced the old.
func (s *state) reportInstalled() {
	status := &s.operator.Status
	if s.deployment == nil {
		if status.Installed != nil { // it is put back
			s.settleDeclared(status.Installed)
		}
		return
	}
	if !everReady(s.deployment, s.began) && !applied(s.deployment) {
		status.Installed = nil // a first installation that is not applied, or not any more
	}
	if hopDone(s.deployment, status.Installed == nil) && s.record != nil {
		installed := *s.record
		status.Installed = &installed
	}
	if status.Installed == nil {
		return
	}
	s.settleDeclared(status.Installed)
	s.addBundleFacts(status.Installed)
}

// addBundleFacts fills in what only the bundle's own files say, where they are of the installed bundle.
func (s *state) addBundleFacts(installed *platformv1alpha1.InstalledBundle) {
	if s.record == nil || !sameBundle(*s.record, *installed) || s.deployment.Status.ObservedGeneration < s.deployment.Generation {
		return
	}
	if resolved := s.deployment.Status.ResolvedSource; resolved != nil && resolved.Image != nil {
		installed.Image = resolved.Image.Ref
	}
	own := s.deployment.Status.Bundle
	if own == nil {
		return
	}
	if installed.MinKubeVersion == "" {
		installed.MinKubeVersion = own.MinKubeVersion
	}
}

func (s *state) reportTarget() {
	status := &s.operator.Status
	status.Target = nil
	if s.deployment == nil || s.record == nil || rolledBack(s.deployment) {
		return
	}
	if status.Installed == nil || !sameBundle(*status.Installed, *s.record) || !applied(s.deployment) {
		bundle := *s.record
		s.settleDeclared(&bundle)
		status.Target = &platformv1alpha1.Target{Version: bundle.Version, Path: []string{bundle.Version}, Hop: &bundle}
		if target := s.decision.Target; target != nil && len(s.decision.Path) > 1 && s.decision.Path[0].Bundle.Name == bundle.Bundle {
			status.Target.Version, status.Target.Path = target.Bundle.Version, nil
			for _, hop := range s.decision.Path[:min(len(s.decision.Path), platformv1alpha1.MaxPath)] {
				status.Target.Path = append(status.Target.Path, hop.Bundle.Version)
			}
		}
	}
}

// underWay is the bundle of the hop that is under way; nil when there is none.
func underWay(target *platformv1alpha1.Target) *platformv1alpha1.InstalledBundle {
	if target == nil {
		return nil
	}
	return target.Hop
}

func relatedObjects(deployment *corev1alpha2.BundleDeployment) []platformv1alpha1.ObjectReference {
	if deployment == nil {
		return nil
	}
	return []platformv1alpha1.ObjectReference{
		{Group: "", Resource: "namespaces", Name: deployment.Spec.InstallNamespace},
		{Group: corev1alpha2.GroupName, Resource: "bundledeployments", Name: deployment.Name},
	}
}

func (s *state) setFrom(conditionType string, condition metav1.Condition) {
	s.setCondition(conditionType, condition.Status, condition.Reason, condition.Message)
}

func (s *state) setCondition(conditionType string, status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&s.operator.Status.Conditions, metav1.Condition{
		Type:               conditionType,
		Status:             status,
		Reason:             reason,
		Message:            bounded(message, maxMessage),
		ObservedGeneration: s.operator.Generation,
		LastTransitionTime: metav1.NewTime(s.clock.Now()),
	})
}

// writeStatus writes the status once, and only when it says something new. One that only progressed waits while the last write is
// recent; then writeStatus returns how long.
func (s *state) writeStatus(ctx context.Context) (time.Duration, error) {
	if s.operator == nil {
		return 0, nil
	}
	s.operator.Status.ObservedGeneration = s.operator.Generation
	if equality.Semantic.DeepEqual(s.before.Status, s.operator.Status) {
		return 0, nil
	}
	if wait := s.pace.wait(s.operator, s.clock.Now()); wait > 0 && onlyProgressed(s.before.Status, s.operator.Status) {
		return wait, nil
	}
	if _, err := s.operatorClient.UpdateStatus(ctx, s.operator, metav1.UpdateOptions{FieldManager: fieldManager}); err != nil {
		return 0, fmt.Errorf("writing the status of PlatformOperator %q: %w", s.operator.Name, err)
	}
	s.pace.wrote(s.operator.Name, s.clock.Now())
	s.tell()
	return 0, nil
}
