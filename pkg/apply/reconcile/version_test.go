package reconcile

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/livecache"
	"github.com/openshift/platform-operators/pkg/apply/object"
)

// An object that is older at the API server than before comes from a backup of etcd. The manager may own its fields with
// the values of an earlier revision, so that only an apply makes sure that it is as declared.
func TestAnObjectThatIsOlderThanBeforeIsAppliedAgain(t *testing.T) {
	const writtenAs = "100" // the version after each write; see serving
	report, ignore := corev1alpha2.Drift{Policy: corev1alpha2.DriftReport}, corev1alpha2.Drift{Policy: corev1alpha2.DriftIgnoreAll}
	for name, test := range map[string]struct {
		before    string // the version that was compared before
		isWritten bool   // the object was changed by another client before, so that the manager wrote it
		now       string // the version in the cache
		drift     corev1alpha2.Drift
		isApplied bool
	}{
		"the same version":                        {before: "5", now: "5"},
		"a newer version":                         {before: "5", now: "7"},
		"a newer version with more digits":        {before: "5", now: "10"},
		"an older version":                        {before: "5", now: "3", isApplied: true},
		"an older version with fewer digits":      {before: "10", now: "9", isApplied: true},
		"an older version, drift is reported":     {before: "5", now: "3", drift: report, isApplied: true},
		"an older version, drift is ignored":      {before: "5", now: "3", drift: ignore, isApplied: true},
		"the same version, drift is reported":     {before: "5", now: "5", drift: report},
		"a newer version, drift is reported":      {before: "5", now: "7", drift: report},
		"the version that was written":            {before: "5", isWritten: true, now: writtenAs},
		"newer than the version that was written": {before: "5", isWritten: true, now: "101"},
		"older than the version that was written": {before: "5", isWritten: true, now: "99", isApplied: true},
	} {
		t.Run(name, func(t *testing.T) {
			desired, current := asDeclared(t, test.now)
			options, applied := serving(t, current)
			options.Drift = test.drift
			_, earlier := asDeclared(t, test.before)
			if test.isWritten {
				earlier.Object["data"] = map[string]any{"a": "evil"}
			}
			first := New(options.trusted()).Reconcile(t.Context(), desired, cachedConfigMaps(t, earlier))
			if first.Err != nil || (len(*applied) > 0) != test.isWritten {
				t.Fatalf("at first, it was applied %d times: %v", len(*applied), first.Err)
			}
			*applied = nil
			want := 0
			if test.isApplied {
				want = 1
			}
			resource := cachedConfigMaps(t, current)
			if got := New(options.readOnly()).Reconcile(t.Context(), desired, resource); got.Err != nil || len(*applied) != 0 {
				t.Errorf("while paused, it was applied %d times: %v", len(*applied), got.Err)
			}
			for range 3 { // the later calls find it in the version that the first one wrote
				if got := New(options).Reconcile(t.Context(), desired, resource); got.Err != nil || len(*applied) != want || len(got.Drift) > 0 {
					t.Fatalf("it was applied %d times, want %d; drift %v, error %v", len(*applied), want, got.Drift, got.Err)
				}
			}
		})
	}
}

// The versions of a restored object may be newer than before: other clients have written it since the restore, or the restore raised the
// revision of etcd. Then the time of the manager's own last write shows the restore.
func TestAnObjectWithAnotherWriteOfTheManagerIsAppliedAgain(t *testing.T) {
	noon := metav1.NewTime(time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC))
	before, after := metav1.NewTime(noon.Add(-time.Minute)), metav1.NewTime(noon.Add(time.Minute))
	for name, test := range map[string]struct {
		written, now *metav1.Time // the manager's last write, when it was compared before and now
		policy       corev1alpha2.DriftPolicy
		isApplied    bool
	}{
		"the same write":                        {written: &noon, now: &noon},
		"an earlier write":                      {written: &noon, now: &before, isApplied: true},
		"an earlier write, drift is reported":   {written: &noon, now: &before, policy: corev1alpha2.DriftReport, isApplied: true},
		"a later write, of another process":     {written: &noon, now: &after, isApplied: true},
		"a write at an unknown time":            {written: &noon},
		"a write at a time that was not known":  {now: &noon},
		"the same write, and drift is reported": {written: &noon, now: &noon, policy: corev1alpha2.DriftReport},
	} {
		t.Run(name, func(t *testing.T) {
			desired, current := asDeclared(t, "7")
			current.Object["data"] = map[string]any{"a": "of the revision in the backup"}
			setWriteTime(current, test.now)
			_, earlier := asDeclared(t, "5")
			setWriteTime(earlier, test.written)
			options, applied := serving(t, current)
			options.Drift = corev1alpha2.Drift{Policy: test.policy}
			if first := New(options.trusted()).Reconcile(t.Context(), desired, cachedConfigMaps(t, earlier)); first.Err != nil || len(*applied) != 0 {
				t.Fatalf("at first, it was applied %d times: %v", len(*applied), first.Err)
			}
			resource := cachedConfigMaps(t, current)
			for range 3 {
				if got := New(options).Reconcile(t.Context(), desired, resource); got.Err != nil || len(got.Drift) > 0 {
					t.Fatalf("drift %v, error %v", got.Drift, got.Err)
				}
			}
			if isApplied := len(*applied) == 1; isApplied != test.isApplied {
				t.Errorf("it was applied %d times, want it to be applied: %t", len(*applied), test.isApplied)
			}
		})
	}
}

func setWriteTime(live *unstructured.Unstructured, written *metav1.Time) {
	fields := live.GetManagedFields()
	for i := range fields {
		fields[i].Time = written
	}
	live.SetManagedFields(fields)
}

// A cache whose watch is behind has an older version than the last write of the manager, as after the restore of a backup. The API server
// shows the difference: there, the object is not older, and the drift policy applies to it.
func TestAnObjectThatIsOlderInTheCacheOnlyIsNotAppliedAgain(t *testing.T) {
	down := errors.New("the API server is down")
	for name, test := range map[string]struct {
		current  string // the version at the API server; empty if the object is deleted
		isEdited bool   // by a user, at the API server
		policy   corev1alpha2.DriftPolicy
		isPaused bool
		err      error
		applied  int
		created  bool
		drift    string // change and outcome of the only record
		reads    int    // of two calls
	}{
		"as it was written":                        {current: "100", reads: 1},
		"as it was written, drift is reported":     {current: "100", policy: corev1alpha2.DriftReport, reads: 1},
		"written by others without a difference":   {current: "105", reads: 1},
		"edited":                                   {current: "105", isEdited: true, applied: 1, drift: "Edited Repaired", reads: 1},
		"edited, drift is reported":                {current: "105", isEdited: true, policy: corev1alpha2.DriftReport, drift: "Edited Reported", reads: 1},
		"edited, drift is ignored":                 {current: "105", isEdited: true, policy: corev1alpha2.DriftIgnoreAll, reads: 1},
		"edited while paused":                      {current: "105", isEdited: true, isPaused: true, drift: "Edited Reported", reads: 1},
		"deleted":                                  {created: true, drift: "Deleted Repaired", reads: 1},
		"deleted, drift is reported":               {policy: corev1alpha2.DriftReport, drift: "Deleted Reported", reads: 4},
		"deleted, drift is ignored":                {policy: corev1alpha2.DriftIgnoreAll, reads: 2},
		"the read fails":                           {err: down, reads: 2},
		"the read fails, drift is reported":        {err: down, policy: corev1alpha2.DriftReport, reads: 2},
		"older, edited, and drift is reported":     {current: "98", isEdited: true, policy: corev1alpha2.DriftReport, applied: 1, reads: 1},
		"older than the cache, and it is declared": {current: "98", applied: 1, reads: 1},
	} {
		t.Run(name, func(t *testing.T) {
			desired, written := asDeclared(t, "100")
			_, cached := asDeclared(t, "99")
			_, current := asDeclared(t, test.current)
			if test.isEdited {
				current.Object["data"] = map[string]any{"a": "by a user"}
				current.SetManagedFields(nil)
				owned(current, ours, `{"f:metadata":{"f:labels":{"f:core.rukpak.io/owner-kind":{},"f:core.rukpak.io/owner-name":{}}}}`)
			}
			options, applied := serving(t, current)
			options.Drift = corev1alpha2.Drift{Policy: test.policy}
			client, _ := options.As.Dynamic.(*dynamicfake.FakeDynamicClient)
			if test.current == "" {
				if err := client.Tracker().Delete(configMaps, "ns", "c"); err != nil {
					t.Fatal(err)
				}
			}
			if first := New(options.trusted()).Reconcile(t.Context(), desired, cachedConfigMaps(t, written)); first.Err != nil || len(client.Actions()) > 0 {
				t.Fatalf("at first, there were requests: %v; error %v", client.Actions(), first.Err)
			}
			client.PrependReactor("get", "*", func(clienttesting.Action) (bool, runtime.Object, error) { return test.err != nil, nil, test.err })
			client.PrependReactor("create", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
				_, created := asDeclared(t, "110")
				return true, created, nil
			})
			options.ReadOnly = test.isPaused
			resource := cachedConfigMaps(t, cached)
			for i := range 2 {
				got := New(options).Reconcile(t.Context(), desired, resource)
				if !errors.Is(got.Err, test.err) || got.RetryAfter != livecache.RecentTime {
					t.Errorf("call %d: error %v; the next call is in %s", i, got.Err, got.RetryAfter)
				}
				if i > 0 && (test.applied > 0 || test.created) {
					continue // a repair is reported once
				}
				var records []string
				for _, each := range got.Drift {
					records = append(records, fmt.Sprint(each.Change, " ", each.Outcome))
				}
				if drift := strings.Join(records, ", "); drift != test.drift {
					t.Errorf("call %d: drift %q, want %q", i, drift, test.drift)
				}
			}
			reads, created := 0, false
			for _, each := range client.Actions() {
				reads += map[bool]int{true: 1}[each.GetVerb() == "get"]
				created = created || each.GetVerb() == "create"
			}
			if len(*applied) != test.applied || created != test.created || reads != test.reads {
				t.Errorf("it was applied %d times, read %d times, and created: %t", len(*applied), reads, created)
			}
		})
	}
}

// asDeclared returns the desired ConfigMap, and the live one that is as declared and all of whose fields the manager owns.
func asDeclared(t *testing.T, version string) (*object.Desired, *unstructured.Unstructured) {
	t.Helper()
	declared := parse(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: ns}, data: {a: x}}`)
	desired, err := object.NewDesired(object.Owner{Name: "memo"}, declared)
	if err != nil {
		t.Fatal(err)
	}
	live := desired.Object()
	live.SetResourceVersion(version)
	owned(live, ours, `{"f:metadata":{"f:labels":{"f:core.rukpak.io/owner-kind":{},"f:core.rukpak.io/owner-name":{}}},"f:data":{"f:a":{}}}`)
	return desired, live
}
