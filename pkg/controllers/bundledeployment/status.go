package bundledeployment

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
)

const (
	// maxMessage bounds condition messages and Events, in bytes.
	maxMessage = 1024
	// maxRevisions is what the API's schema allows in status.revisions.
	maxRevisions = 8
)

// report fills in the status from what was found and done.
func report(_ context.Context, s *state) (bool, error) {
	s.observe()
	s.reportRevisions()
	s.reportUnpacked()
	s.reportInstalled()
	s.reportHealthy()
	s.reportProgressing()
	return false, nil
}

func (s *state) observe() { s.deployment.Status.ObservedGeneration = s.deployment.Generation }

func (s *state) reportRevisions() {
	status := &s.deployment.Status
	status.ActiveRevision = 0
	if s.active != nil {
		status.ActiveRevision = s.active.Number
	}
	status.Revisions = nil
	for _, each := range s.record.revisions {
		entry := corev1alpha2.Revision{Number: each.Number, Digest: each.Digest, Version: each.Bundle.Version, State: corev1alpha2.RevisionArchived}
		switch each {
		case s.active:
			entry.State = corev1alpha2.RevisionActive
		case s.wanted:
			entry.State = corev1alpha2.RevisionRollingOut
		}
		status.Revisions = append(status.Revisions, entry)
	}
	if surplus := len(status.Revisions) - maxRevisions; surplus > 0 {
		status.Revisions = status.Revisions[surplus:]
	}
	if s.wanted != nil {
		metadata := s.wanted.Bundle
		status.Bundle = &metadata
		status.ResolvedSource = &corev1alpha2.BundleSource{
			Type: corev1alpha2.SourceTypeImage, Image: &corev1alpha2.ImageSource{Ref: s.wanted.Resolved},
		}
	}
	status.Objects, status.Unready = nil, nil
	if s.wanted != nil || s.active != nil {
		status.Objects = &corev1alpha2.ObjectCounts{Total: int32(s.report.Total), Ready: int32(s.report.Ready)}
		status.Unready = s.report.Unready
	}
}

func (s *state) reportUnpacked() {
	ref := ""
	if s.deployment.Spec.Source.Image != nil {
		ref = s.deployment.Spec.Source.Image.Ref
	}
	unpacked, valid := corev1alpha2.ConditionUnpacked, corev1alpha2.ConditionHasValidBundle
	notYet := "The content of the source is not known yet."
	switch {
	case s.unknownClass:
		s.set(unpacked, metav1.ConditionUnknown, corev1alpha2.ReasonProvisionerNotFound, fmt.Sprintf(
			"No provisioner class %q on this cluster: nothing new is unpacked. Set spec.provisionerClassName to %q for registry+v1 bundles.",
			s.deployment.Spec.ProvisionerClassName, corev1alpha2.ProvisionerClassRegistry))
		s.set(valid, metav1.ConditionUnknown, corev1alpha2.ReasonProvisionerNotFound, notYet)
	case s.wanted != nil:
		s.set(unpacked, metav1.ConditionTrue, corev1alpha2.ReasonUnpackSuccessful, fmt.Sprintf("The content is that of %s.", s.wanted.Resolved))
		s.set(valid, metav1.ConditionTrue, corev1alpha2.ReasonBundleLoadSuccessful, fmt.Sprintf("Bundle %s renders to %s.", s.wanted.Bundle.Name, objects(s.wanted)))
	case s.answer.result != nil:
		s.set(unpacked, metav1.ConditionTrue, corev1alpha2.ReasonUnpackSuccessful, fmt.Sprintf("The content is that of %s.", s.answer.result.resolved))
		s.set(valid, metav1.ConditionFalse, corev1alpha2.ReasonBundleLoadFailed, fmt.Sprintf(
			"%v. Choose another version or another package; whoever makes the bundle can correct it and publish it as a new image.", s.answer.result.invalid))
	case s.answer.err != nil:
		s.set(unpacked, metav1.ConditionFalse, corev1alpha2.ReasonUnpackFailed, fmt.Sprintf("%v.", s.answer.err))
		s.set(valid, metav1.ConditionUnknown, corev1alpha2.ReasonUnpackFailed, notYet)
	case s.deployment.Spec.Paused:
		s.set(unpacked, metav1.ConditionUnknown, corev1alpha2.ReasonUnpackPending, "Nothing is fetched while spec.paused is set.")
		s.set(valid, metav1.ConditionUnknown, corev1alpha2.ReasonUnpackPending, notYet)
	default:
		s.set(unpacked, metav1.ConditionUnknown, corev1alpha2.ReasonUnpacking, fmt.Sprintf("Fetching and unpacking %s.", ref))
		s.set(valid, metav1.ConditionUnknown, corev1alpha2.ReasonUnpacking, notYet)
	}
}

func objects(of *revision) string {
	if count := of.set.Len(); count != 1 {
		return fmt.Sprintf("%d objects", count)
	}
	return "1 object"
}

// reportInstalled keeps Installed True once everything of some revision was applied, whatever becomes of a later one.
func (s *state) reportInstalled() {
	installed := meta.IsStatusConditionTrue(s.before.Status.Conditions, corev1alpha2.ConditionInstalled) || s.active != nil
	rollingOut := s.wanted != nil && s.wanted != s.active
	if rollingOut && s.report.Complete {
		installed = true
	}
	switch {
	case s.refusal != nil && !installed:
		s.set(corev1alpha2.ConditionInstalled, metav1.ConditionFalse, corev1alpha2.ReasonInstallFailed, s.refusal.Error()+".")
	case !installed:
		s.set(corev1alpha2.ConditionInstalled, metav1.ConditionFalse, corev1alpha2.ReasonInstallPending, s.pendingMessage())
	case s.refusal != nil && rollingOut:
		s.set(corev1alpha2.ConditionInstalled, metav1.ConditionTrue, corev1alpha2.ReasonUpgradeFailed,
			fmt.Sprintf("%s is not applied: %v.", name(s.wanted), s.refusal))
	case s.refusal != nil:
		s.set(corev1alpha2.ConditionInstalled, metav1.ConditionTrue, corev1alpha2.ReasonReconcileFailed, s.refusal.Error()+".")
	case s.active != nil:
		s.set(corev1alpha2.ConditionInstalled, metav1.ConditionTrue, corev1alpha2.ReasonInstallationSucceeded, name(s.active)+" is applied.")
	case rollingOut && s.report.Complete:
		s.set(corev1alpha2.ConditionInstalled, metav1.ConditionTrue, corev1alpha2.ReasonInstallationSucceeded, name(s.wanted)+" is applied.")
	default:
		s.set(corev1alpha2.ConditionInstalled, metav1.ConditionTrue, corev1alpha2.ReasonInstallationSucceeded, "A revision was applied completely before; the Healthy condition tells of the newest one.")
	}
}

func (s *state) pendingMessage() string {
	switch {
	case s.wanted == nil:
		return "Nothing is applied yet; the Unpacked and HasValidBundle conditions say why."
	case s.deployment.Spec.Paused:
		return "Nothing is applied while spec.paused is set."
	}
	return sentence(name(s.wanted)+" is being applied", s.obstacle())
}

// reportHealthy tells of the newest revision that is worked on.
func (s *state) reportHealthy() {
	if s.wanted == nil && s.active == nil {
		s.set(corev1alpha2.ConditionHealthy, metav1.ConditionUnknown, corev1alpha2.ReasonInstallPending, "Nothing is applied yet.")
		return
	}
	if s.complete() {
		message := "All %d objects are applied and ready."
		if s.deployment.Spec.Paused { // only that they are there was looked at
			message = "All %d objects are there and ready; whether they are as declared is not seen to while spec.paused is set."
		}
		s.set(corev1alpha2.ConditionHealthy, metav1.ConditionTrue, corev1alpha2.ReasonHealthy, fmt.Sprintf(message, s.report.Total))
		return
	}
	message := s.obstacle()
	if more := len(s.report.Unready) - 1; more > 0 {
		message = fmt.Sprintf("%s (and %d more)", message, more)
	}
	if message == "" {
		message = "Not everything is applied yet"
	}
	s.set(corev1alpha2.ConditionHealthy, metav1.ConditionFalse, corev1alpha2.ReasonUnhealthy, message+".")
}

func (s *state) reportProgressing() {
	rollingOut := s.wanted != nil && s.wanted != s.active
	progressing := corev1alpha2.ConditionProgressing
	switch {
	case s.deployment.Spec.Paused:
		s.set(progressing, metav1.ConditionFalse, corev1alpha2.ReasonPaused, "Nothing is changed while spec.paused is set.")
	case s.unknownClass:
		s.set(progressing, metav1.ConditionFalse, corev1alpha2.ReasonBlocked, "The provisioner class is not known; the Unpacked condition says more.")
	case s.answer.result != nil:
		s.set(progressing, metav1.ConditionFalse, corev1alpha2.ReasonBlocked, "The bundle cannot be installed; the HasValidBundle condition says why.")
	case s.wanted == nil && s.answer.err != nil:
		s.set(progressing, metav1.ConditionFalse, corev1alpha2.ReasonBlocked, "The source cannot be unpacked; it is tried again, and the Unpacked condition says why.")
	case s.wanted == nil:
		s.set(progressing, metav1.ConditionTrue, corev1alpha2.ReasonRollingOut, "The source is being unpacked.")
	case s.refusal != nil:
		s.set(progressing, metav1.ConditionFalse, corev1alpha2.ReasonBlocked, fmt.Sprintf("%s is not applied: %v.", name(s.wanted), s.refusal))
	case rollingOut:
		s.set(progressing, metav1.ConditionTrue, corev1alpha2.ReasonRollingOut, sentence(name(s.wanted)+" is rolling out", s.obstacle()))
	case s.pruning != "":
		s.set(progressing, metav1.ConditionTrue, corev1alpha2.ReasonRollingOut, "Removing what only earlier revisions had: "+s.pruning+".")
	default:
		s.set(progressing, metav1.ConditionFalse, corev1alpha2.ReasonAsExpected, name(s.active)+" is active.")
	}
}

// obstacle is the first thing that keeps the newest revision from being complete.
func (s *state) obstacle() string {
	switch {
	case s.refusal != nil:
		return s.refusal.Error()
	case s.report.Waiting != "":
		return s.report.Waiting
	case len(s.report.Unready) > 0:
		return s.report.Unready[0]
	case s.fault != nil:
		return s.fault.Error()
	}
	return ""
}

func name(of *revision) string {
	if of.Bundle.Version == "" {
		return fmt.Sprintf("Revision %d", of.Number)
	}
	return fmt.Sprintf("Revision %d (version %s)", of.Number, of.Bundle.Version)
}

func sentence(action, obstacle string) string {
	if obstacle == "" {
		return action + "."
	}
	return action + ": " + obstacle + "."
}

func (s *state) set(conditionType string, status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&s.deployment.Status.Conditions, metav1.Condition{
		Type:               conditionType,
		Status:             status,
		Reason:             reason,
		Message:            bounded(message),
		ObservedGeneration: s.deployment.Generation,
		LastTransitionTime: metav1.NewTime(s.clock.Now()),
	})
}

func bounded(text string) string {
	text = strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "�")
	for strings.HasSuffix(text, "..") {
		text = strings.TrimSuffix(text, ".")
	}
	if len(text) <= maxMessage {
		return text
	}
	const ellipsis = "…"
	return strings.ToValidUTF8(text[:maxMessage-len(ellipsis)], "") + ellipsis
}

// writeStatus writes the status if it changed, and then the Events of what did.
func (s *state) writeStatus(ctx context.Context) error {
	if s.gone {
		return nil
	}
	if !equality.Semantic.DeepEqual(s.before.Status, s.deployment.Status) {
		stored, err := s.client.UpdateStatus(ctx, s.deployment, metav1.UpdateOptions{FieldManager: fieldManager})
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("writing the status of BundleDeployment %q: %w", s.deployment.Name, err)
		}
		s.record.written = stored.ResourceVersion
	}
	for _, each := range append(s.notices, s.transitions()...) {
		if each.warning {
			s.recorder.Warning(each.reason, bounded(each.message))
		} else {
			s.recorder.Event(each.reason, bounded(each.message))
		}
	}
	return nil
}

// notice is an Event to send once the status is written.
type notice struct {
	reason, message string
	warning         bool
}

// transitions are the Events of conditions that changed status or reason, as far as users care.
func (s *state) transitions() []notice {
	var notices []notice
	for _, after := range s.deployment.Status.Conditions {
		before := meta.FindStatusCondition(s.before.Status.Conditions, after.Type)
		if before != nil && before.Status == after.Status && before.Reason == after.Reason {
			continue
		}
		switch after.Reason {
		case corev1alpha2.ReasonUnpackFailed, corev1alpha2.ReasonBundleLoadFailed, corev1alpha2.ReasonInstallFailed,
			corev1alpha2.ReasonUpgradeFailed, corev1alpha2.ReasonReconcileFailed, corev1alpha2.ReasonProvisionerNotFound:
			if after.Type == corev1alpha2.ConditionHasValidBundle && after.Status != metav1.ConditionFalse {
				continue // says what Unpacked says
			}
			notices = append(notices, notice{after.Reason, fmt.Sprintf("BundleDeployment %q: %s", s.deployment.Name, after.Message), true})
		case corev1alpha2.ReasonInstallationSucceeded, corev1alpha2.ReasonHealthy:
			notices = append(notices, notice{after.Reason, fmt.Sprintf("BundleDeployment %q: %s", s.deployment.Name, after.Message), false})
		case corev1alpha2.ReasonUnhealthy:
			if s.wanted == s.active { // while rolling out everything is unhealthy at first
				notices = append(notices, notice{after.Reason, fmt.Sprintf("BundleDeployment %q: %s", s.deployment.Name, after.Message), true})
			}
		}
	}
	return notices
}

func driftNotice(deployment string, report apply.Report) notice {
	names := append(append([]string{}, report.Created...), report.Updated...)
	return notice{"DriftRepaired", fmt.Sprintf("BundleDeployment %q: put back as declared: %s", deployment, some(names, report.Writes)), false}
}

func activeNotice(deployment string, now, before *revision) notice {
	if before == nil {
		return notice{"RevisionActive", fmt.Sprintf("BundleDeployment %q: %s is complete and healthy", deployment, name(now)), false}
	}
	return notice{"RevisionActive", fmt.Sprintf("BundleDeployment %q: %s replaces revision %d", deployment, name(now), before.Number), false}
}

func pruneNotice(deployment string, old *revision, removal apply.Removal) notice {
	return notice{"Pruned", fmt.Sprintf("BundleDeployment %q: deleted what only revision %d had: %s", deployment, old.Number, some(removal.Deleted, 0)), false}
}

// some lists names; total is how many there are, where that is known to be more.
func some(names []string, total int) string {
	text := strings.Join(names, ", ")
	if total > len(names) {
		text += fmt.Sprintf(" and %d more", total-len(names))
	}
	return text
}
