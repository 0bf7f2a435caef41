package bundledeployment

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
)

const (
	// maxDrift and maxWarnings are what the API's schema allows.
	maxDrift, maxWarnings = 20, 20
	// maxUnwritten bounds what is remembered of changes that are not in status yet.
	maxUnwritten = 5 * maxDrift
	// maxDriftNotices bounds the Events of one sync; the rest is counted in one more.
	maxDriftNotices = 5
)

// noteDrift takes over what the engine says of changes by others: what it put back is told once, what stands in each call.
func (s *state) noteDrift(report apply.Report) {
	s.meters.repaired(s.deployment.Name, report.Repaired)
	told := 0
	for _, each := range report.Drift {
		if each.Outcome != corev1alpha2.DriftRepaired && (holds(s.before.Status.Drift, each) || holds(s.record.standing, each)) {
			continue // told before, be it that the list in status has no room for it any more
		}
		if told++; told <= maxDriftNotices {
			s.notify(driftNotice(each))
		}
	}
	if told > maxDriftNotices {
		s.notify(notice{corev1alpha2.EventDriftSeen, fmt.Sprintf("%d more changes by others; status.drift has the latest", told-maxDriftNotices), false})
	}
	s.record.drift = append(s.record.drift, report.Drift...)
	s.record.drift = s.record.drift[max(0, len(s.record.drift)-maxUnwritten):] // while no status can be written
	s.standing = append(s.standing, report.Drift...)
	s.drifted = s.drifted || report.Drifted
}

// reportDrift merges what was seen into the list: newest first, one entry for the same change of the same object by the
// same manager. What stood and does not stand any more goes; what was put back stays as history.
func (s *state) reportDrift() {
	if s.untouched() {
		s.deployment.Status.Drift = nil
		s.set(corev1alpha2.ConditionDrifted, metav1.ConditionUnknown, corev1alpha2.ReasonInstallPending, s.unlooked())
		return
	}
	s.deployment.Status.Drift = mergeDrift(s.before.Status.Drift, s.record.drift, s.standing)
	ignored := s.policies.drift.Policy == corev1alpha2.DriftIgnoreAll
	first := func(outcome corev1alpha2.DriftOutcome) string {
		text, more := "", 0
		for _, each := range s.standing {
			switch {
			case each.Outcome != outcome || each.Change == corev1alpha2.DriftAdded:
			case text == "":
				text = describeDrift(each)
			default:
				more++
			}
		}
		if more > 0 {
			text = fmt.Sprintf("%s (and %d more)", text, more)
		}
		return text
	}
	switch contested, reported := first(corev1alpha2.DriftContested), first(corev1alpha2.DriftReported); {
	case ignored:
		s.set(corev1alpha2.ConditionDrifted, metav1.ConditionFalse, corev1alpha2.ReasonDriftIgnored, "Changes by others are not looked for, as spec.drift.policy says.")
	case s.drifted && contested != "":
		s.set(corev1alpha2.ConditionDrifted, metav1.ConditionTrue, corev1alpha2.ReasonDriftContested,
			fmt.Sprintf("%s, each time that it is put back; have whoever does that stop, or leave the field to them by spec.drift.ignore.", contested))
	case s.drifted:
		why := "spec.drift.policy says"
		switch said := s.deployment.Spec.Drift; {
		case s.deployment.Spec.Paused:
			why = "nothing is changed while spec.paused is set"
		case s.unknownClass != "" && (said == nil || said.Policy == ""):
			why = "the provisioner class, which may say so, is not known"
		}
		s.set(corev1alpha2.ConditionDrifted, metav1.ConditionTrue, corev1alpha2.ReasonDriftReported,
			sentence("Changes by others are left, as "+why, reported))
	case s.refusal != nil && s.wanted == s.active:
		s.set(corev1alpha2.ConditionDrifted, metav1.ConditionUnknown, corev1alpha2.ReasonReconcileFailed,
			"Not everything can be looked at, or put back; the Installed condition says why.")
	default:
		s.set(corev1alpha2.ConditionDrifted, metav1.ConditionFalse, corev1alpha2.ReasonAsExpected, "Nothing that was declared is left as others changed it.")
	}
}

// mergeDrift puts new records before the ones that are there. Among new ones a later record of the same change replaces an
// earlier one.
func mergeDrift(before, seen, standing []corev1alpha2.DriftRecord) []corev1alpha2.DriftRecord {
	var merged []corev1alpha2.DriftRecord
	add := func(each corev1alpha2.DriftRecord) {
		if !slices.ContainsFunc(merged, func(other corev1alpha2.DriftRecord) bool { return sameDrift(each, other) }) {
			merged = append(merged, each)
		}
	}
	for _, each := range slices.Backward(seen) {
		if each.Outcome == corev1alpha2.DriftRepaired {
			add(each)
		} else if holds(standing, each) {
			each.Time = timeOf(before, each)
			add(each)
		}
	}
	for _, each := range before {
		if each.Outcome == corev1alpha2.DriftRepaired {
			add(each)
		}
	}
	for i := range merged { // the API keeps whole seconds; a finer time would look like a change for ever
		merged[i].Time = metav1.NewTime(merged[i].Time.Local().Truncate(1e9))
	}
	slices.SortStableFunc(merged, func(a, b corev1alpha2.DriftRecord) int {
		return b.Time.Compare(a.Time.Time)
	})
	return merged[:min(len(merged), maxDrift)]
}

// timeOf gives the time of a record that stands. What the API server has no time of has the one when it was seen first, which
// a manager that starts again finds in status only.
func timeOf(before []corev1alpha2.DriftRecord, record corev1alpha2.DriftRecord) metav1.Time {
	at := slices.IndexFunc(before, func(other corev1alpha2.DriftRecord) bool {
		return sameDrift(record, other) && record.Outcome == other.Outcome
	})
	if at >= 0 && record.Manager == "" {
		return before[at].Time
	}
	return record.Time
}

func sameDrift(a, b corev1alpha2.DriftRecord) bool {
	return a.Object == b.Object && a.Change == b.Change && a.Manager == b.Manager && slices.Equal(a.Paths, b.Paths)
}

// holds says whether a list has a record of the same change with the same outcome.
func holds(list []corev1alpha2.DriftRecord, wanted corev1alpha2.DriftRecord) bool {
	return slices.ContainsFunc(list, func(each corev1alpha2.DriftRecord) bool {
		return sameDrift(each, wanted) && each.Outcome == wanted.Outcome
	})
}

// describeDrift says in half a sentence who did what to which object.
func describeDrift(record corev1alpha2.DriftRecord) string {
	object := record.Object.Kind + " " + record.Object.Name
	if record.Object.Namespace != "" {
		object = record.Object.Kind + " " + record.Object.Namespace + "/" + record.Object.Name
	}
	verb := map[corev1alpha2.DriftChange]string{
		corev1alpha2.DriftEdited: "edited", corev1alpha2.DriftDeleted: "deleted", corev1alpha2.DriftAdded: "extended",
	}[record.Change]
	text := object + " was " + verb
	if record.Manager != "" {
		text += fmt.Sprintf(" by %q", record.Manager)
	}
	if len(record.Paths) > 0 {
		text += " (" + strings.Join(record.Paths, ", ") + ")"
	}
	return text
}

// newWarnings adds warnings of the API server to those that status does not have yet.
func (s *state) newWarnings(warned []string) []string {
	fresh := s.record.warnings
	for _, each := range warned {
		text := bounded(each)
		if slices.Contains(s.deployment.Status.Warnings, text) || slices.Contains(fresh, text) || len(s.deployment.Status.Warnings)+len(fresh) >= maxWarnings {
			continue
		}
		fresh = append(fresh, text)
		s.notify(notice{corev1alpha2.EventAPIWarning, text, true})
	}
	return fresh
}

// reportPlan tells what the newest revision amounts to, and what the API server warned of.
func (s *state) reportPlan() {
	status := &s.deployment.Status
	if len(s.record.warnings) > 0 {
		status.Warnings = append(slices.Clone(s.before.Status.Warnings), s.record.warnings...)
	}
	status.Warnings = s.withNamespaceWarning(status.Warnings)
	newest := s.newest()
	if newest == nil {
		return
	}
	missing := s.missing[:min(len(s.missing), maxMissing)]
	if before := s.before.Status.Plan; s.deployment.Spec.Paused && before != nil && before.Digest == newest.Plan {
		missing = before.PermissionsMissing // nobody asks meanwhile
	}
	planned := &corev1alpha2.Plan{Digest: newest.Plan, Warnings: status.Warnings, PermissionsMissing: missing}
	if !equality.Semantic.DeepEqual(status.Plan, planned) {
		status.Plan = planned
	}
}
