package reconcile

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/drift"
)

func TestRecordsAreBoundedAndKeepTheirTime(t *testing.T) {
	key := object.Key{Namespace: "n", Name: "memo"}
	key.Kind = "ConfigMap"
	then, now := time.Unix(1000, 0), time.Unix(2000, 500)
	var changes []drift.Change
	for i := range 30 {
		changes = append(changes, drift.Change{Path: fmt.Sprintf("/data/%02d", i), Manager: "kubectl", Time: then})
	}
	changes = append(changes, drift.Change{Path: "/data/" + strings.Repeat("x", 1000)})
	of := recordedChange{key, corev1alpha2.DriftEdited, corev1alpha2.DriftReported}
	first := recordsOf(of, changes, nil, now)
	if len(first) != 2 || len(first[0].Paths) != maxPaths || len(first[1].Paths[0]) != maxPath {
		t.Fatalf("not bounded: %v", first)
	}
	if !first[0].Time.Time.Equal(then) || !first[1].Time.Time.Equal(now.Truncate(time.Second)) {
		t.Errorf("times are %v and %v", first[0].Time, first[1].Time)
	}
	if diff := cmp.Diff(first, recordsOf(of, changes, first, now.Add(time.Hour))); diff != "" {
		t.Errorf("the same records an hour later (-then +now):\n%s", diff)
	}
	var many []corev1alpha2.DriftRecord
	for i := range 50 {
		many = append(many, recordsOf(of, []drift.Change{{Path: "/a", Manager: "m", Time: then.Add(time.Duration(i) * time.Second)}}, nil, now)...)
	}
	if got := Newest(many); len(got) != maxRecords || !got[0].Time.Time.Equal(then.Add(49*time.Second)) {
		t.Errorf("%d records, the first of %v", len(got), got[0].Time)
	}
}

// The API server accepts a ClusterRole with a longer name than status.drift can store.
func TestRecordsOfObjectsWithLongNamesFitStatus(t *testing.T) {
	key := object.Key{GroupKind: schema.GroupKind{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"}, Name: strings.Repeat("x", 300)}
	records := recordsOf(recordedChange{key, corev1alpha2.DriftDeleted, corev1alpha2.DriftRepaired}, []drift.Change{{}}, nil, time.Now())
	if len(records) != 1 || records[0].Object.Name != key.Name[:253] {
		t.Errorf("the records are %+v", records)
	}
}
