package reconcile

import (
	"cmp"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/drift"
	"github.com/openshift/platform-operators/pkg/truncate"
)

const (
	// maxRecords is the maximum number of drift records in a Report. maxPaths is the maximum number of paths in one record, and maxPath is
	// the maximum length of a path, in bytes. These limits come from the API's schema.
	maxRecords = 20
	maxPaths   = 10
	maxPath    = 512
	// maxName is the maximum length that the schema permits for an object's name. The API server accepts longer names for ClusterRoles.
	maxName = 253
	// maxManager is the maximum length that the schema permits for a field manager's name, in bytes.
	maxManager = 256
)

// recordedChange holds the values that all records of one change share.
type recordedChange struct {
	key     object.Key
	change  corev1alpha2.DriftChange
	outcome corev1alpha2.DriftOutcome
}

// recordsOf returns one record for each field manager that changed an object. If managedFields contains no time for a field manager's
// changes, its record has the time of the first report: that of the same record in earlier, or else now.
func recordsOf(of recordedChange, changes []drift.Change, earlier []corev1alpha2.DriftRecord, now time.Time) []corev1alpha2.DriftRecord {
	byManager := map[string]*corev1alpha2.DriftRecord{}
	var records []*corev1alpha2.DriftRecord
	for _, each := range changes {
		manager := strings.ToValidUTF8(each.Manager[:min(len(each.Manager), maxManager)], "")
		record := byManager[manager]
		if record == nil {
			record = &corev1alpha2.DriftRecord{
				Object: corev1alpha2.AppliedObject{Group: of.key.Group, Kind: of.key.Kind, Namespace: of.key.Namespace, Name: truncate.Cut(of.key.Name, maxName)},
				Change: of.change, Manager: manager, Outcome: of.outcome,
			}
			byManager[manager] = record
			records = append(records, record)
		}
		if each.Path != "" {
			record.Paths = append(record.Paths, strings.ToValidUTF8(each.Path[:min(len(each.Path), maxPath)], ""))
		}
		if each.Time.After(record.Time.Time) {
			record.Time = metav1.NewTime(each.Time)
		}
	}
	var complete []corev1alpha2.DriftRecord
	for _, record := range records {
		complete = append(complete, withTime(boundPaths(*record), earlier, now))
	}
	return complete
}

func boundPaths(record corev1alpha2.DriftRecord) corev1alpha2.DriftRecord {
	slices.Sort(record.Paths)
	record.Paths = slices.Compact(record.Paths)
	record.Paths = record.Paths[:min(len(record.Paths), maxPaths)]
	return record
}

func withTime(record corev1alpha2.DriftRecord, earlier []corev1alpha2.DriftRecord, now time.Time) corev1alpha2.DriftRecord {
	if !record.Time.IsZero() {
		return record
	}
	record.Time = metav1.NewTime(now.Truncate(time.Second))
	if before := slices.IndexFunc(earlier, func(other corev1alpha2.DriftRecord) bool { return isSameRecord(record, other) }); before >= 0 {
		record.Time = earlier[before].Time
	}
	return record
}

func isSameRecord(a, b corev1alpha2.DriftRecord) bool {
	return a.Object == b.Object && a.Change == b.Change && a.Manager == b.Manager && slices.Equal(a.Paths, b.Paths)
}

// Newest returns the newest maxRecords records, newest first. It sorts the given slice in place.
func Newest(records []corev1alpha2.DriftRecord) []corev1alpha2.DriftRecord {
	slices.SortStableFunc(records, func(a, b corev1alpha2.DriftRecord) int {
		return cmp.Or(
			b.Time.Compare(a.Time.Time),
			cmp.Compare(a.Object.Kind, b.Object.Kind), cmp.Compare(a.Object.Namespace, b.Object.Namespace),
			cmp.Compare(a.Object.Name, b.Object.Name), cmp.Compare(a.Change, b.Change), cmp.Compare(a.Manager, b.Manager),
		)
	})
	return slices.Clone(records[:min(len(records), maxRecords)])
}
