package drift

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

func edited(outcome corev1alpha2.DriftOutcome, seconds int64, paths ...string) corev1alpha2.DriftRecord {
	return corev1alpha2.DriftRecord{
		Object: corev1alpha2.AppliedObject{Kind: "ConfigMap", Namespace: "memo", Name: "a"}, Change: corev1alpha2.DriftEdited,
		Paths: paths, Manager: "kubectl-edit", Time: metav1.Unix(seconds, 0), Outcome: outcome,
	}
}

// deleted returns a record of a deletion, whose manager is never known.
func deleted(seconds int64) corev1alpha2.DriftRecord {
	record := edited(corev1alpha2.DriftReported, seconds)
	record.Change, record.Manager = corev1alpha2.DriftDeleted, ""
	return record
}

func TestRecordsAreMerged(t *testing.T) {
	repaired, reported, contested := corev1alpha2.DriftRepaired, corev1alpha2.DriftReported, corev1alpha2.DriftContested
	type list = []corev1alpha2.DriftRecord
	many := make(list, 0, 30)
	for i := range int64(30) {
		many = append(many, edited(repaired, 30-i, string(rune('a'+i))))
	}
	cases := map[string]struct{ before, seen, standing, want list }{
		"nothing":                                                       {},
		"a repair is history that stays":                                {before: list{edited(repaired, 5)}, want: list{edited(repaired, 5)}},
		"the newest comes first":                                        {before: list{edited(repaired, 5)}, seen: list{edited(repaired, 9, "/data/a")}, want: list{edited(repaired, 9, "/data/a"), edited(repaired, 5)}},
		"the same change again moves its entry":                         {before: list{edited(repaired, 5), edited(repaired, 4, "/x")}, seen: list{edited(repaired, 9)}, want: list{edited(repaired, 9), edited(repaired, 4, "/x")}},
		"what stands is told as long as it does":                        {before: list{edited(reported, 5)}, seen: list{edited(reported, 5)}, standing: list{edited(reported, 5)}, want: list{edited(reported, 5)}},
		"what does not stand any more goes":                             {before: list{edited(reported, 5)}},
		"what stood in an unwritten sync goes, too":                     {seen: list{edited(reported, 5)}},
		"a repair that is contested by now":                             {before: list{edited(repaired, 5)}, seen: list{edited(contested, 6)}, standing: list{edited(contested, 6)}, want: list{edited(contested, 6)}},
		"a deletion, which has no time, stands since it was seen first": {before: list{deleted(5)}, seen: list{deleted(9)}, standing: list{deleted(9)}, want: list{deleted(5)}},
		"no more than there may be, the oldest goes":                    {before: many, want: many[:MaxRecords]},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := Merge(c.before, c.seen, c.standing)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			again := Merge(got, c.standing, c.standing)
			if diff := cmp.Diff(got, again); diff != "" {
				t.Errorf("a second look changes it (-first +second):\n%s", diff)
			}
		})
	}
}

func TestTimesHaveWholeSecondsAsInTheAPI(t *testing.T) {
	record := edited(corev1alpha2.DriftReported, 5)
	record.Time = metav1.Unix(5, 999)
	got := Merge(nil, []corev1alpha2.DriftRecord{record}, []corev1alpha2.DriftRecord{record})
	if got[0].Time.Nanosecond() != 0 {
		t.Error("a time finer than a second comes back from the API server as another one, and is written for ever")
	}
}

func TestARecordIsDescribedInOneLine(t *testing.T) {
	record := edited(corev1alpha2.DriftRepaired, 5, "/data/a", "/data/b")
	if got, want := Describe(record), `ConfigMap memo/a was edited by field manager "kubectl-edit" (/data/a, /data/b)`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	record = corev1alpha2.DriftRecord{Object: corev1alpha2.AppliedObject{Kind: "ClusterRole", Name: "a"}, Change: corev1alpha2.DriftDeleted}
	if got, want := Describe(record), "ClusterRole a was deleted"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
