package bundledeployment

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clocktesting "k8s.io/utils/clock/testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/plan"
	"github.com/openshift/platform-operators/pkg/store"
)

func testRevision(t *testing.T, number int64, version string) *revision {
	t.Helper()
	return &revision{
		Header: store.Header{Number: number, Digest: "sha256:0", Resolved: "r/memo@sha256:" + version, Bundle: corev1alpha2.BundleMetadata{Name: "memo.v" + version, Version: version}},
		set:    setOf(t, "a"),
	}
}

// setOf gives a set of one ConfigMap.
func setOf(t *testing.T, name string) *apply.Set {
	t.Helper()
	object := unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name, "namespace": "memo"},
	}}
	set, err := apply.NewSet(apply.Owner{Name: "memo"}, "memo", plan.Phases([]unstructured.Unstructured{object}))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func edited(outcome corev1alpha2.DriftOutcome, seconds int64, paths ...string) corev1alpha2.DriftRecord {
	return corev1alpha2.DriftRecord{
		Object: corev1alpha2.AppliedObject{Kind: "ConfigMap", Namespace: "memo", Name: "a"}, Change: corev1alpha2.DriftEdited,
		Paths: paths, Manager: "kubectl-edit", Time: metav1.Unix(seconds, 0), Outcome: outcome,
	}
}

func TestConditions(t *testing.T) {
	one, two := testRevision(t, 1, "1.0.0"), testRevision(t, 2, "2.0.0")
	healthy := apply.Report{Total: 1, Ready: 1, Complete: true}
	unhealthy := apply.Report{Total: 1, Complete: true, Unready: []string{"Deployment memo/memo: 0 of 1 updated replicas available"}}
	refusal := &apply.Refusal{Object: apply.Key{GroupKind: schema.GroupKind{Kind: "ConfigMap"}, Namespace: "memo", Name: "a"}, Err: errors.New("exists"), Remedy: "delete it"}
	installed := metav1.Condition{Type: corev1alpha2.ConditionInstalled, Status: metav1.ConditionTrue, Reason: "x", LastTransitionTime: metav1.Unix(1, 0)}
	image := &corev1alpha2.ImageSource{Ref: "r/memo:v1"}

	cases := map[string]struct {
		given  state
		before []metav1.Condition
		paused bool
		want   map[string]string // condition to status/reason
	}{
		"nothing is known yet": {
			want: map[string]string{"Unpacked": "Unknown/Unpacking", "HasValidBundle": "Unknown/Unpacking", "Installed": "False/InstallPending", "Healthy": "Unknown/InstallPending", "Progressing": "True/RollingOut", "Drifted": "Unknown/InstallPending"},
		},
		"a class that is not there": {
			given: state{unknownClass: `No provisioner class "x" on this cluster`},
			want:  map[string]string{"Unpacked": "Unknown/ProvisionerNotFound", "HasValidBundle": "Unknown/ProvisionerNotFound", "Installed": "False/InstallPending", "Healthy": "Unknown/InstallPending", "Progressing": "False/Blocked", "Drifted": "Unknown/InstallPending"},
		},
		"an image that cannot be pulled, before anything is installed": {
			given: state{answer: answer{err: errors.New("no such image")}},
			want:  map[string]string{"Unpacked": "False/UnpackFailed", "HasValidBundle": "Unknown/UnpackFailed", "Installed": "False/InstallPending", "Healthy": "Unknown/InstallPending", "Progressing": "False/Blocked", "Drifted": "Unknown/InstallPending"},
		},
		"an image that cannot be pulled, with something active": {
			given: state{active: one, report: healthy, answer: answer{err: errors.New("no such image")}}, before: []metav1.Condition{installed},
			want: map[string]string{"Unpacked": "False/UnpackFailed", "HasValidBundle": "Unknown/UnpackFailed", "Installed": "True/InstallationSucceeded", "Healthy": "True/Healthy", "Progressing": "False/Blocked", "Drifted": "False/AsExpected"},
		},
		"content that is no bundle": {
			given: state{answer: answer{result: &fetched{resolved: "r", invalid: errors.New("no annotations")}}},
			want:  map[string]string{"Unpacked": "True/UnpackSuccessful", "HasValidBundle": "False/BundleLoadFailed", "Installed": "False/InstallPending", "Healthy": "Unknown/InstallPending", "Progressing": "False/Blocked", "Drifted": "Unknown/InstallPending"},
		},
		"a first revision that is applied and not healthy": {
			given: state{wanted: one, report: unhealthy},
			want:  map[string]string{"Unpacked": "True/UnpackSuccessful", "HasValidBundle": "True/BundleLoadSuccessful", "Installed": "True/InstallationSucceeded", "Healthy": "False/Unhealthy", "Progressing": "True/RollingOut", "Drifted": "False/AsExpected"},
		},
		"a first revision that the manager lacks rights for": {
			given: state{wanted: one, refusal: refusal, unbegun: refusal},
			want:  map[string]string{"Unpacked": "True/UnpackSuccessful", "HasValidBundle": "True/BundleLoadSuccessful", "Installed": "False/InstallFailed", "Healthy": "Unknown/InstallPending", "Progressing": "False/Blocked", "Drifted": "Unknown/InstallPending"},
		},
		"a first revision that is refused": {
			given: state{wanted: one, refusal: refusal},
			want:  map[string]string{"Unpacked": "True/UnpackSuccessful", "HasValidBundle": "True/BundleLoadSuccessful", "Installed": "False/InstallFailed", "Healthy": "False/Unhealthy", "Progressing": "False/Blocked", "Drifted": "False/AsExpected"},
		},
		"a later revision that is refused, with all well of the active one": {
			given: state{active: one, wanted: two, refusal: refusal, live: &healthy}, before: []metav1.Condition{installed},
			want: map[string]string{"Unpacked": "True/UnpackSuccessful", "HasValidBundle": "True/BundleLoadSuccessful", "Installed": "True/UpgradeFailed", "Healthy": "True/Healthy", "Progressing": "False/Blocked", "Drifted": "False/AsExpected"},
		},
		"a later revision that is refused, with the active one unwell": {
			given: state{active: one, wanted: two, refusal: refusal, live: &unhealthy}, before: []metav1.Condition{installed},
			want: map[string]string{"Unpacked": "True/UnpackSuccessful", "HasValidBundle": "True/BundleLoadSuccessful", "Installed": "True/UpgradeFailed", "Healthy": "False/Unhealthy", "Progressing": "False/Blocked", "Drifted": "False/AsExpected"},
		},
		"a repair that is refused": {
			given: state{active: one, wanted: one, refusal: refusal}, before: []metav1.Condition{installed},
			want: map[string]string{"Unpacked": "True/UnpackSuccessful", "HasValidBundle": "True/BundleLoadSuccessful", "Installed": "True/ReconcileFailed", "Healthy": "False/Unhealthy", "Progressing": "False/Blocked", "Drifted": "Unknown/ReconcileFailed"},
		},
		"a later revision that is not healthy": {
			given: state{active: one, wanted: two, report: unhealthy}, before: []metav1.Condition{installed},
			want: map[string]string{"Unpacked": "True/UnpackSuccessful", "HasValidBundle": "True/BundleLoadSuccessful", "Installed": "True/InstallationSucceeded", "Healthy": "False/Unhealthy", "Progressing": "True/RollingOut", "Drifted": "False/AsExpected"},
		},
		"all is well": {
			given: state{active: one, wanted: one, report: healthy}, before: []metav1.Condition{installed},
			want: map[string]string{"Unpacked": "True/UnpackSuccessful", "HasValidBundle": "True/BundleLoadSuccessful", "Installed": "True/InstallationSucceeded", "Healthy": "True/Healthy", "Progressing": "False/AsExpected", "Drifted": "False/AsExpected"},
		},
		"a revision that missed its deadline and is held": {
			given: state{active: one, wanted: two, report: unhealthy, overdue: true}, before: []metav1.Condition{installed},
			want: map[string]string{"Unpacked": "True/UnpackSuccessful", "HasValidBundle": "True/BundleLoadSuccessful", "Installed": "True/InstallationSucceeded", "Healthy": "False/Unhealthy", "Progressing": "False/DeadlineExceeded", "Drifted": "False/AsExpected"},
		},
		"a revision that failed, while the one before is put back": {
			given: state{active: one, wanted: one, failed: two, report: unhealthy}, before: []metav1.Condition{installed},
			want: map[string]string{"Unpacked": "True/UnpackSuccessful", "HasValidBundle": "True/BundleLoadSuccessful", "Installed": "True/InstallationSucceeded", "Healthy": "False/Unhealthy", "Progressing": "True/RollingBack", "Drifted": "False/AsExpected"},
		},
		"a Bundle that is not there": {
			given: state{sought: sought{source: "Bundle memo", missing: "Bundle \"memo\" does not exist"}},
			want:  map[string]string{"Unpacked": "Unknown/UnpackPending", "HasValidBundle": "Unknown/UnpackPending", "Installed": "False/InstallPending", "Healthy": "Unknown/InstallPending", "Progressing": "False/Blocked", "Drifted": "Unknown/InstallPending"},
		},
		"drift that is left": {
			given: state{active: one, wanted: one, report: healthy, drifted: true, standing: []corev1alpha2.DriftRecord{edited(corev1alpha2.DriftReported, 1)}}, before: []metav1.Condition{installed},
			want: map[string]string{"Unpacked": "True/UnpackSuccessful", "HasValidBundle": "True/BundleLoadSuccessful", "Installed": "True/InstallationSucceeded", "Healthy": "True/Healthy", "Progressing": "False/AsExpected", "Drifted": "True/DriftReported"},
		},
		"drift that comes back each time": {
			given: state{active: one, wanted: one, report: healthy, drifted: true, standing: []corev1alpha2.DriftRecord{edited(corev1alpha2.DriftContested, 1)}}, before: []metav1.Condition{installed},
			want: map[string]string{"Unpacked": "True/UnpackSuccessful", "HasValidBundle": "True/BundleLoadSuccessful", "Installed": "True/InstallationSucceeded", "Healthy": "True/Healthy", "Progressing": "False/AsExpected", "Drifted": "True/DriftContested"},
		},
		"drift that nobody looks for": {
			given: state{active: one, wanted: one, report: healthy, policies: policies{drift: corev1alpha2.Drift{Policy: corev1alpha2.DriftIgnoreAll}}}, before: []metav1.Condition{installed},
			want: map[string]string{"Unpacked": "True/UnpackSuccessful", "HasValidBundle": "True/BundleLoadSuccessful", "Installed": "True/InstallationSucceeded", "Healthy": "True/Healthy", "Progressing": "False/AsExpected", "Drifted": "False/DriftIgnored"},
		},
		"what an earlier revision had is on its way": {
			given: state{active: one, wanted: one, report: healthy, pruning: "waiting for ConfigMap memo/a to be gone"}, before: []metav1.Condition{installed},
			want: map[string]string{"Unpacked": "True/UnpackSuccessful", "HasValidBundle": "True/BundleLoadSuccessful", "Installed": "True/InstallationSucceeded", "Healthy": "True/Healthy", "Progressing": "True/RollingOut", "Drifted": "False/AsExpected"},
		},
		"what an earlier revision had waits for somebody": {
			given: state{active: one, wanted: one, report: healthy, pruning: "ConfigMap memo/a: forbidden; grant it", pruningBlocked: true}, before: []metav1.Condition{installed},
			want: map[string]string{"Unpacked": "True/UnpackSuccessful", "HasValidBundle": "True/BundleLoadSuccessful", "Installed": "True/InstallationSucceeded", "Healthy": "True/Healthy", "Progressing": "False/Blocked", "Drifted": "False/AsExpected"},
		},
		"paused": {
			given: state{active: one, wanted: one, report: unhealthy}, before: []metav1.Condition{installed}, paused: true,
			want: map[string]string{"Unpacked": "True/UnpackSuccessful", "HasValidBundle": "True/BundleLoadSuccessful", "Installed": "True/InstallationSucceeded", "Healthy": "False/Unhealthy", "Progressing": "False/Paused", "Drifted": "False/AsExpected"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := c.given
			s.controller = &controller{clock: clocktesting.NewFakePassiveClock(time.Unix(1000, 0))}
			s.record = &memory{}
			s.before = &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: "memo", Generation: 3}}
			s.before.Spec.Source.Image = image
			s.before.Spec.Paused = c.paused
			s.before.Status.Conditions = c.before
			s.deployment = s.before.DeepCopy()
			if _, err := report(t.Context(), &s); err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, condition := range s.deployment.Status.Conditions {
				got[condition.Type] = string(condition.Status) + "/" + condition.Reason
				if condition.ObservedGeneration != 3 || condition.Message == "" || len(condition.Message) > maxMessage {
					t.Errorf("%s: generation %d, message %q", condition.Type, condition.ObservedGeneration, condition.Message)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("conditions (-want +got):\n%s", diff)
			}
			if len(c.before) > 0 {
				after := meta.FindStatusCondition(s.deployment.Status.Conditions, corev1alpha2.ConditionInstalled)
				if !after.LastTransitionTime.Equal(&installed.LastTransitionTime) {
					t.Error("lastTransitionTime moved, and the status did not")
				}
			}
		})
	}
}

func TestPauseForgetsNoMissingPermission(t *testing.T) {
	one, two := testRevision(t, 1, "1.0.0"), testRevision(t, 2, "2.0.0")
	one.Plan, two.Plan = "sha256:1", "sha256:2"
	missing := []corev1alpha2.MissingPermission{{Resource: "secrets", Verbs: []string{"create"}}}
	for name, test := range map[string]struct {
		paused bool
		newest *revision
		asked  []corev1alpha2.MissingPermission
		want   []corev1alpha2.MissingPermission
	}{
		"it stands while nobody asks":           {true, two, nil, missing},
		"it is of the plan that it was told of": {true, one, nil, nil},
		"it is over when nothing is missing":    {false, two, nil, nil},
		"it is told when it is missing":         {false, two, missing, missing},
	} {
		t.Run(name, func(t *testing.T) {
			s := &state{record: &memory{}, wanted: test.newest, missing: test.asked, before: &corev1alpha2.BundleDeployment{}}
			s.before.Status.Plan = &corev1alpha2.Plan{Digest: "sha256:2", PermissionsMissing: missing}
			s.before.Spec.Paused = test.paused
			s.deployment = s.before.DeepCopy()
			s.reportPlan()
			if diff := cmp.Diff(test.want, s.deployment.Status.Plan.PermissionsMissing); diff != "" {
				t.Errorf("missing (-want +got):\n%s", diff)
			}
		})
	}
}

func TestActiveRevisionTellsOfItsBundleWhileItIsNotTheNewest(t *testing.T) {
	one, two := testRevision(t, 1, "1.0.0"), testRevision(t, 2, "2.0.0")
	for name, test := range map[string]struct {
		given          state
		bundle, active string
	}{
		"before anything is active":            {state{wanted: two}, "memo.v2.0.0", ""},
		"what is active is the newest":         {state{active: two, wanted: two}, "memo.v2.0.0", ""},
		"the content of another is fetched":    {state{active: one}, "", "memo.v1.0.0"},
		"another rolls out":                    {state{active: one, wanted: two}, "memo.v2.0.0", "memo.v1.0.0"},
		"another failed and was rolled back":   {state{active: one, wanted: one, failed: two}, "memo.v2.0.0", "memo.v1.0.0"},
		"nothing is known, as in a first sync": {state{}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := test.given
			s.deployment = &corev1alpha2.BundleDeployment{Status: corev1alpha2.BundleDeploymentStatus{ActiveBundle: &corev1alpha2.BundleMetadata{Name: "of the sync before"}}}
			s.reportContent()
			said := func(metadata *corev1alpha2.BundleMetadata) string {
				if metadata == nil {
					return ""
				}
				return metadata.Name
			}
			if bundle, active := said(s.deployment.Status.Bundle), said(s.deployment.Status.ActiveBundle); bundle != test.bundle || active != test.active {
				t.Errorf("bundle is %q and activeBundle %q, want %q and %q", bundle, active, test.bundle, test.active)
			}
		})
	}
}

func TestMessagesAreBoundedAndOneLine(t *testing.T) {
	for given, want := range map[string]string{"a\n b..": "a b.", "a.": "a."} {
		if got := bounded(given); got != want {
			t.Errorf("bounded(%q) = %q, want %q", given, got, want)
		}
	}
	if got := bounded(strings.Repeat("ü", maxMessage)); len(got) > maxMessage || !strings.HasSuffix(got, "…") {
		t.Errorf("a long text has %d bytes", len(got))
	}
}

func TestRevisionNumbersNeverMeanTwoThings(t *testing.T) {
	s := state{
		before: &corev1alpha2.BundleDeployment{Status: corev1alpha2.BundleDeploymentStatus{ActiveRevision: 4, Revisions: []corev1alpha2.Revision{{Number: 6}}}},
		record: &memory{revisions: []*revision{{Header: store.Header{Number: 5}}}},
	}
	if got := s.nextNumber(); got != 7 {
		t.Errorf("next number is %d, want 7: 6 was given away, though it is not stored any more", got)
	}
}

func TestStaleCacheIsNotDecidedUpon(t *testing.T) {
	cached := &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "9"}}
	then := time.Unix(1000, 0)
	for written, want := range map[string]bool{"": false, "8": false, "9": false, "10": true} {
		if left, got := (&memory{written: written, wroteAt: then}).writtenLater(cached, then.Add(time.Second)); got != want || want && left != recentTime-time.Second {
			t.Errorf("after writing version %q the cache's version 9 counts as behind: %v for %s, want %v", written, got, left, want)
		}
	}
	if _, got := (&memory{written: "10", wroteAt: then}).writtenLater(cached, then.Add(recentTime)); got {
		t.Error("a cache that stays behind, as after the restore of a backup, is never decided upon")
	}
}

func TestMessagesComeBackFromTheAPIServerAsTheyWereWritten(t *testing.T) {
	for name, text := range map[string]string{
		"half a character at the end of a cut text": "a" + strings.Repeat("ü", maxMessage),
		"half a character as it came":               "value \"\xc3\" is refused",
	} {
		if got := bounded(text); !utf8.ValidString(got) || len(got) > maxMessage {
			t.Errorf("%s: %d bytes, %q; it would be written again and again", name, len(got), got[max(0, len(got)-8):])
		}
	}
}

func TestMetadataFitsTheStatus(t *testing.T) {
	long := strings.Repeat("9", 1000)
	got := metadataOf(bundle.Metadata{Name: "memo.v1", Version: "1.0.0-" + long, MinKubeVersion: long, MaxOpenShiftVersions: []string{long, "1", "2", "3", "4"}})
	if len(got.Version) > 128 || len(got.MinKubeVersion) > 128 || len(got.MaxOpenShiftVersions) > 4 || len(got.MaxOpenShiftVersions[0]) > 128 {
		t.Errorf("recorded %+v, which the schema refuses, and the whole status with it", got)
	}
	if len(got.MaxOpenShiftVersions) < 2 {
		t.Error("that there was more than one value has to be seen")
	}
}

func TestNothingIsSaidToBeAsDeclaredWhilePaused(t *testing.T) {
	one := testRevision(t, 1, "1.0.0")
	s := &state{
		controller: &controller{clock: clocktesting.NewFakePassiveClock(time.Unix(1000, 0))},
		deployment: &corev1alpha2.BundleDeployment{Spec: corev1alpha2.BundleDeploymentSpec{Paused: true}},
		active:     one, wanted: one, report: apply.Report{Total: 1, Ready: 1, Complete: true},
	}
	s.reportHealthy()
	healthy := meta.FindStatusCondition(s.deployment.Status.Conditions, corev1alpha2.ConditionHealthy)
	if healthy.Status != metav1.ConditionTrue || !strings.Contains(healthy.Message, "spec.paused") {
		t.Errorf("says %s: %s", healthy.Status, healthy.Message)
	}
}

func TestUnhealthySaysWhereToLookAtWhatItNames(t *testing.T) {
	one := testRevision(t, 1, "1.0.0")
	const unready, look = "Deployment memo/memo: 0 of 1 updated replicas available", "kubectl describe -n memo deployment memo"
	for name, c := range map[string]struct {
		given state
		want  string
	}{
		"what is not ready":                        {state{report: apply.Report{Unready: []string{unready}, Look: look}}, unready + `. See "` + look + `".`},
		"the first of several":                     {state{report: apply.Report{Unready: []string{unready, "b", "c"}, Look: look}}, unready + ` (and 2 more). See "` + look + `".`},
		"what is not there cannot be looked at":    {state{report: apply.Report{Unready: []string{"Service memo/memo: is not there"}}}, "Service memo/memo: is not there."},
		"what is waited for is another thing":      {state{report: apply.Report{Waiting: "waiting for kind A", Unready: []string{unready}, Look: look}}, "waiting for kind A."},
		"nothing is known to be in the way so far": {state{}, "Not everything is applied yet."},
	} {
		t.Run(name, func(t *testing.T) {
			s := &c.given
			s.controller = &controller{clock: clocktesting.NewFakePassiveClock(time.Unix(1000, 0))}
			s.deployment, s.wanted = &corev1alpha2.BundleDeployment{}, one
			s.reportHealthy()
			if healthy := meta.FindStatusCondition(s.deployment.Status.Conditions, corev1alpha2.ConditionHealthy); healthy.Message != c.want {
				t.Errorf("it says %q, want %q", healthy.Message, c.want)
			}
		})
	}
}
