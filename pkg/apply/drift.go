package apply

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/drift"
)

const (
	// maxRecords bounds a Report's drift, maxPaths and maxPath one record's paths: the limits of the API's schema.
	maxRecords = 20
	maxPaths   = 10
	maxPath    = 512
	// maxManager is the schema's limit of a field manager's name.
	maxManager = 256
)

// rules say what becomes of changes by others.
type rules struct {
	policy    corev1alpha2.DriftPolicy
	additions corev1alpha2.AdditionsPolicy
	ignore    []corev1alpha2.DriftIgnore
	// digest tells rules apart: what was found under others is looked at again.
	digest [sha256.Size]byte
}

// newRules fills up what was left out. Who ignores drift wants to hear of additions only if they say so.
func newRules(from corev1alpha2.Drift) *rules {
	r := &rules{policy: from.Policy, additions: from.Additions, ignore: from.Ignore}
	if r.policy == "" {
		r.policy = corev1alpha2.DriftEnforce
	}
	if r.additions == "" {
		r.additions = corev1alpha2.AdditionsReport
		if r.policy == corev1alpha2.DriftIgnoreAll {
			r.additions = corev1alpha2.AdditionsIgnore
		}
	}
	encoded, err := json.Marshal(corev1alpha2.Drift{Policy: r.policy, Additions: r.additions, Ignore: r.ignore})
	if err == nil { // strings always can be encoded
		r.digest = sha256.Sum256(encoded)
	}
	return r
}

// rulesOf gives the rules of one call. While nothing may be written they are others, so that what is left for that reason is
// looked at again when it is over.
func rulesOf(options Options) *rules {
	r := newRules(options.Drift)
	if options.ReadOnly {
		r.digest = sha256.Sum256(r.digest[:])
	}
	return r
}

// ignored gives the pointers that are left to others in an object; nil when there are none.
func (r *rules) ignored(key Key) map[string]bool {
	var pointers map[string]bool
	for _, each := range r.ignore {
		if !targets(each.Target, key) {
			continue
		}
		for _, pointer := range each.JSONPointers {
			if pointers == nil {
				pointers = map[string]bool{}
			}
			pointers[pointer] = true
		}
	}
	return pointers
}

func targets(target corev1alpha2.DriftTarget, key Key) bool {
	if target.Kind != "" && (target.Kind != key.Kind || target.Group != key.Group) {
		return false // an empty group beside a kind is the core group
	}
	return (target.Group == "" || target.Group == key.Group) &&
		(target.Namespace == "" || target.Namespace == key.Namespace) &&
		(target.Name == "" || target.Name == key.Name)
}

// drifted is what records have in common.
type drifted struct {
	key     Key
	change  corev1alpha2.DriftChange
	outcome corev1alpha2.DriftOutcome
}

// recordsOf makes one record of each manager's changes to an object. What has no time in the API server's record has the
// time when it was seen first: that of the same record among those told before, else now.
func recordsOf(of drifted, changes []drift.Change, told []corev1alpha2.DriftRecord, now time.Time) []corev1alpha2.DriftRecord {
	byManager := map[string]*corev1alpha2.DriftRecord{}
	var records []*corev1alpha2.DriftRecord
	for _, each := range changes {
		manager := strings.ToValidUTF8(each.Manager[:min(len(each.Manager), maxManager)], "")
		record := byManager[manager]
		if record == nil {
			record = &corev1alpha2.DriftRecord{
				Object: corev1alpha2.AppliedObject{Group: of.key.Group, Kind: of.key.Kind, Namespace: of.key.Namespace, Name: of.key.Name},
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
		slices.Sort(record.Paths)
		record.Paths = slices.Compact(record.Paths)
		record.Paths = record.Paths[:min(len(record.Paths), maxPaths)]
		if record.Time.IsZero() {
			record.Time = metav1.NewTime(now.Truncate(time.Second))
			if before := slices.IndexFunc(told, func(other corev1alpha2.DriftRecord) bool { return sameRecord(*record, other) }); before >= 0 {
				record.Time = told[before].Time
			}
		}
		complete = append(complete, *record)
	}
	return complete
}

func sameRecord(a, b corev1alpha2.DriftRecord) bool {
	return a.Object == b.Object && a.Change == b.Change && a.Manager == b.Manager && slices.Equal(a.Paths, b.Paths)
}

// newest sorts records, newest first, and leaves as many as there is room for.
func newest(records []corev1alpha2.DriftRecord) []corev1alpha2.DriftRecord {
	slices.SortStableFunc(records, func(a, b corev1alpha2.DriftRecord) int {
		return cmp.Or(
			b.Time.Compare(a.Time.Time),
			cmp.Compare(a.Object.Kind, b.Object.Kind), cmp.Compare(a.Object.Namespace, b.Object.Namespace),
			cmp.Compare(a.Object.Name, b.Object.Name), cmp.Compare(a.Change, b.Change), cmp.Compare(a.Manager, b.Manager),
		)
	})
	return slices.Clone(records[:min(len(records), maxRecords)])
}
