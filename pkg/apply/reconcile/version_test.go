package reconcile

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/object"
)

// An object that is older than before comes from a backup of etcd. The manager may own its fields with the values of an earlier revision,
// so that only an apply makes sure that it is as declared.
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
