package apply

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/drift"
)

func TestRulesTarget(t *testing.T) {
	deployment := Key{Namespace: "n", Name: "memo"}
	deployment.Group, deployment.Kind = "apps", "Deployment"
	service := Key{Namespace: "n", Name: "memo"}
	service.Kind = "Service"
	cases := map[string]struct {
		target              corev1alpha2.DriftTarget
		deployment, service bool
	}{
		"nothing said selects all":                      {deployment: true, service: true},
		"a kind without a group is of the core group":   {target: corev1alpha2.DriftTarget{Kind: "Service"}, service: true},
		"a kind of another group":                       {target: corev1alpha2.DriftTarget{Kind: "Deployment"}},
		"a kind with its group":                         {target: corev1alpha2.DriftTarget{Group: "apps", Kind: "Deployment"}, deployment: true},
		"a group alone":                                 {target: corev1alpha2.DriftTarget{Group: "apps"}, deployment: true},
		"a name":                                        {target: corev1alpha2.DriftTarget{Name: "other"}},
		"a namespace":                                   {target: corev1alpha2.DriftTarget{Namespace: "n"}, deployment: true, service: true},
		"a namespace and a kind, of which one does not": {target: corev1alpha2.DriftTarget{Namespace: "m", Kind: "Service"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := newRules(corev1alpha2.Drift{Ignore: []corev1alpha2.DriftIgnore{{Target: c.target, JSONPointers: []string{"/spec"}}}})
			if got := r.ignored(deployment)["/spec"]; got != c.deployment {
				t.Errorf("the Deployment is targeted: %v", got)
			}
			if got := r.ignored(service)["/spec"]; got != c.service {
				t.Errorf("the Service is targeted: %v", got)
			}
		})
	}
}

func TestENG_D5_AFightIsDampedAndForgotten(t *testing.T) {
	now := time.Unix(1e9, 0)
	var f fight
	var writes []time.Duration
	start := now
	for now.Sub(start) < time.Hour { // somebody changes it back at once, each time
		now = now.Add(f.wait(now)).Add(time.Millisecond)
		f = f.repaired(now)
		writes = append(writes, now.Sub(start).Round(time.Second))
	}
	minute := slices.IndexFunc(writes, func(at time.Duration) bool { return at > time.Minute })
	if minute > 8 {
		t.Errorf("%d writes in the first minute: %v", minute, writes[:minute])
	}
	if len(writes) > 24 {
		t.Errorf("%d writes in an hour: %v", len(writes), writes)
	}
	if wait := f.wait(now); wait < lastWait-time.Second || wait > lastWait {
		t.Errorf("the pause is %s in the end, want %s", wait, lastWait)
	}
	if later := now.Add(2*lastWait + time.Second); f.repaired(later).wait(later) != 0 {
		t.Error("a change after a calm time has to wait")
	}
	var slow fight
	for range 100 { // now and then is no fight
		now = now.Add(calmTime + time.Second)
		if wait := slow.wait(now); wait > 0 {
			t.Fatalf("a change after a calm minute has to wait %s", wait)
		}
		slow = slow.repaired(now)
	}
}

func TestRecordsAreBoundedAndKeepTheirTime(t *testing.T) {
	key := Key{Namespace: "n", Name: "memo"}
	key.Kind = "ConfigMap"
	then, now := time.Unix(1000, 0), time.Unix(2000, 500)
	var changes []drift.Change
	for i := range 30 {
		changes = append(changes, drift.Change{Path: fmt.Sprintf("/data/%02d", i), Manager: "kubectl", Time: then})
	}
	changes = append(changes, drift.Change{Path: "/data/" + strings.Repeat("x", 1000)})
	of := drifted{key, corev1alpha2.DriftEdited, corev1alpha2.DriftReported}
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
	if got := newest(many); len(got) != maxRecords || !got[0].Time.Time.Equal(then.Add(49*time.Second)) {
		t.Errorf("%d records, the first of %v", len(got), got[0].Time)
	}
}
