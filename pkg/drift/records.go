package drift

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// MaxRecords is the maximum length of status.drift.
const MaxRecords = 20

// Merge returns the new value of status.drift. before are the records of the last status. seen are the records found since then, those of
// the oldest sync first. standing are the records of the current sync; a record that is not repaired is kept only if it is among them. The
// result contains one record for each change that a field manager made to an object, newest first, at most MaxRecords. Merge keeps records
// of repairs as history. It drops records of changes that disappeared without a repair.
func Merge(before, seen, standing []corev1alpha2.DriftRecord) []corev1alpha2.DriftRecord {
	var merged []corev1alpha2.DriftRecord
	add := func(each corev1alpha2.DriftRecord) {
		if !slices.ContainsFunc(merged, func(other corev1alpha2.DriftRecord) bool { return isSameChange(each, other) }) {
			merged = append(merged, each)
		}
	}
	for _, each := range slices.Backward(seen) {
		if each.Outcome == corev1alpha2.DriftRepaired {
			add(each)
		} else if Contains(standing, each) {
			each.Time = timeOf(before, each)
			add(each)
		}
	}
	for _, each := range before {
		if each.Outcome == corev1alpha2.DriftRepaired {
			add(each)
		}
	}
	for i := range merged { // the API stores whole seconds; a finer time would differ from the stored one in each sync
		merged[i].Time = metav1.NewTime(merged[i].Time.Local().Truncate(time.Second))
	}
	slices.SortStableFunc(merged, func(a, b corev1alpha2.DriftRecord) int {
		return b.Time.Compare(a.Time.Time)
	})
	return merged[:min(len(merged), MaxRecords)]
}

// timeOf returns the time for a record of drift that is not repaired. If the field manager is unknown, managedFields contain no time of the
// change. In that case timeOf returns the time in the last status, which is when the change was first found.
func timeOf(before []corev1alpha2.DriftRecord, record corev1alpha2.DriftRecord) metav1.Time {
	at := slices.IndexFunc(before, func(other corev1alpha2.DriftRecord) bool {
		return isSameChange(record, other) && record.Outcome == other.Outcome
	})
	if at >= 0 && record.Manager == "" {
		return before[at].Time
	}
	return record.Time
}

func isSameChange(a, b corev1alpha2.DriftRecord) bool {
	return a.Object == b.Object && a.Change == b.Change && a.Manager == b.Manager && slices.Equal(a.Paths, b.Paths)
}

// Contains reports whether a list contains a record of the same change with the same outcome.
func Contains(list []corev1alpha2.DriftRecord, wanted corev1alpha2.DriftRecord) bool {
	return slices.ContainsFunc(list, func(each corev1alpha2.DriftRecord) bool {
		return isSameChange(each, wanted) && each.Outcome == wanted.Outcome
	})
}

// Describe returns a clause with the changed object, how it changed, the field manager if it is known, and the paths.
func Describe(record corev1alpha2.DriftRecord) string {
	object := record.Object.Kind + " " + record.Object.Name
	if record.Object.Namespace != "" {
		object = record.Object.Kind + " " + record.Object.Namespace + "/" + record.Object.Name
	}
	verb := map[corev1alpha2.DriftChange]string{
		corev1alpha2.DriftEdited: "edited", corev1alpha2.DriftDeleted: "deleted", corev1alpha2.DriftAdded: "extended",
	}[record.Change]
	text := object + " was " + verb
	if record.Manager != "" {
		text += fmt.Sprintf(" by field manager %q", record.Manager)
	}
	if len(record.Paths) > 0 {
		text += " (" + strings.Join(record.Paths, ", ") + ")"
	}
	return text
}
