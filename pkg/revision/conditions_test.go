package revision

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// installed adds a True Installed condition to the fixture.
func installed(f *fixture) {
	meta.SetStatusCondition(&f.deployment.Status.Conditions, metav1.Condition{
		Type: corev1alpha2.ConditionInstalled, Status: isTrue, Reason: "x", LastTransitionTime: metav1.Unix(1, 0),
	})
}

func change(outcome corev1alpha2.DriftOutcome) corev1alpha2.DriftRecord {
	return corev1alpha2.DriftRecord{
		Object: corev1alpha2.AppliedObject{Kind: "ConfigMap", Namespace: "memo", Name: "a"}, Change: corev1alpha2.DriftEdited,
		Paths: []string{"/data/a"}, Manager: "kubectl-edit", Time: metav1.Unix(1, 0), Outcome: outcome,
	}
}

func TestConditions(t *testing.T) {
	refusal := errors.New("ConfigMap memo/a: exists; delete it")
	fetching := func(m *Machine) { m.desired, m.active = nil, nil }
	settled := func(m *Machine) { m.desired, m.report = m.active, healthy }
	first := func(m *Machine) { m.active = nil }
	conditions := func(unpacked, valid, installed, healthy, progressing, drifted string) map[string]string {
		return map[string]string{"Unpacked": unpacked, "HasValidBundle": valid, "Installed": installed, "Healthy": healthy, "Progressing": progressing, "Drifted": drifted}
	}
	stored := func(installed, healthy, progressing, drifted string) map[string]string {
		return conditions("True/UnpackSuccessful", "True/BundleLoadSuccessful", installed, healthy, progressing, drifted)
	}
	const applied, expected, unread = "True/InstallationSucceeded", "False/AsExpected", "Unknown/ReconcileFailed"
	for name, c := range map[string]struct {
		given     func(*Machine)
		fixture   func(*fixture)
		installed bool
		want      map[string]string
	}{
		"no content is known": {given: fetching,
			want: conditions("Unknown/Unpacking", "Unknown/Unpacking", "False/InstallPending", "Unknown/InstallPending", "True/RollingOut", "Unknown/InstallPending")},
		"an unknown provisioner class": {given: fetching, fixture: func(f *fixture) { f.unknown = `No provisioner class "x" on this cluster` },
			want: conditions("Unknown/ProvisionerNotFound", "Unknown/ProvisionerNotFound", "False/InstallPending", "Unknown/InstallPending", "False/Blocked", "Unknown/InstallPending")},
		"an image that cannot be pulled, before anything is installed": {
			given: func(m *Machine) { fetching(m); m.content.Err = errors.New("no such image") },
			want:  conditions("False/UnpackFailed", "Unknown/UnpackFailed", "False/InstallPending", "Unknown/InstallPending", "False/Blocked", "Unknown/InstallPending")},
		"an image that cannot be pulled, with an active revision": {
			given: func(m *Machine) { m.desired, m.report, m.content.Err = nil, healthy, errors.New("no such image") }, installed: true,
			want: conditions("False/UnpackFailed", "Unknown/UnpackFailed", applied, "True/Healthy", "False/Blocked", expected)},
		"content that is not a bundle": {
			given: func(m *Machine) { fetching(m); m.content = Content{Resolved: "r", Invalid: "no annotations."} },
			want:  conditions("True/UnpackSuccessful", "False/BundleLoadFailed", "False/InstallFailed", "Unknown/InstallPending", "False/Blocked", "Unknown/InstallPending")},
		"a Bundle that does not exist": {given: fetching, fixture: func(f *fixture) { f.desired = Desired{Source: "Bundle memo", Missing: `Bundle "memo" does not exist`} },
			want: conditions("Unknown/UnpackPending", "Unknown/UnpackPending", "False/InstallPending", "Unknown/InstallPending", "False/Blocked", "Unknown/InstallPending")},
		"a first revision that is applied and not healthy": {given: func(m *Machine) { first(m); m.report = unhealthy },
			want: stored(applied, "False/Unhealthy", "True/RollingOut", expected)},
		"a first revision that the manager lacks permissions for": {
			given: func(m *Machine) { first(m); m.refusal, m.check.Problem.Err = refusal, refusal },
			want:  stored("False/InstallFailed", "Unknown/InstallPending", "False/Blocked", "Unknown/InstallPending")},
		"a first revision that is refused": {given: func(m *Machine) { first(m); m.refusal = refusal },
			want: stored("False/InstallFailed", "False/Unhealthy", "False/Blocked", unread)},
		"a later revision that is refused, while the active one is healthy": {
			given: func(m *Machine) { m.refusal, m.observed = refusal, &healthy }, installed: true,
			want: stored("True/UpgradeFailed", "True/Healthy", "False/Blocked", unread)},
		"a later revision that is refused, while the active one is unhealthy": {
			given: func(m *Machine) { m.refusal, m.observed = refusal, &unhealthy }, installed: true,
			want: stored("True/UpgradeFailed", "False/Unhealthy", "False/Blocked", unread)},
		"a later revision that lacks permissions, with a healthy active one": {
			given: func(m *Machine) {
				m.refusal, m.observed, m.check.Problem = refusal, &healthy, Problem{Err: refusal, Refused: true}
			}, installed: true,
			want: stored("True/UpgradeFailed", "True/Healthy", "False/Blocked", expected)},
		"a repair that is refused": {given: func(m *Machine) { m.desired, m.refusal = m.active, refusal }, installed: true,
			want: stored("True/ReconcileFailed", "False/Unhealthy", "False/Blocked", unread)},
		"a later revision that is not healthy": {given: func(m *Machine) { m.report = unhealthy }, installed: true,
			want: stored(applied, "False/Unhealthy", "True/RollingOut", expected)},
		"everything is as declared": {given: settled, installed: true,
			want: stored(applied, "True/Healthy", expected, expected)},
		"a revision that missed its deadline and is held": {given: func(m *Machine) { m.report, m.held = unhealthy, m.desired }, installed: true,
			want: stored(applied, "False/Unhealthy", "False/DeadlineExceeded", expected)},
		"a rollback in progress": {
			given: func(m *Machine) { m.failed, m.desired, m.report = m.desired, m.active, unhealthy }, installed: true,
			want: stored(applied, "False/Unhealthy", "True/RollingBack", expected)},
		"drift that is not reverted": {given: func(m *Machine) {
			settled(m)
			m.drift = Drift{Left: true, Standing: []corev1alpha2.DriftRecord{change(corev1alpha2.DriftReported)}}
		}, installed: true, want: stored(applied, "True/Healthy", expected, "True/DriftReported")},
		"contested drift": {given: func(m *Machine) {
			settled(m)
			m.drift = Drift{Left: true, Standing: []corev1alpha2.DriftRecord{change(corev1alpha2.DriftContested)}}
		}, installed: true, want: stored(applied, "True/Healthy", expected, "True/DriftContested")},
		"objects that the API server refuses to list": {given: func(m *Machine) {
			settled(m)
			m.report = unhealthy
			m.report.Unread = true
		}, installed: true, want: stored(applied, "False/Unhealthy", expected, unread)},
		"unread objects of the active revision, while a later one lacks permissions": {given: func(m *Machine) {
			observed := unhealthy
			observed.Unread = true
			m.refusal, m.observed, m.check.Problem = refusal, &observed, Problem{Err: refusal, Refused: true}
		}, installed: true, want: stored("True/UpgradeFailed", "False/Unhealthy", "False/Blocked", unread)},
		"unread objects that only the active revision has, while a later one rolls out": {given: func(m *Machine) {
			m.report = unhealthy
			m.SetRemaining(Report{Unread: true, Waiting: "Secret memo/a cannot be read"}, Problem{})
		}, installed: true, want: stored(applied, "False/Unhealthy", "True/RollingOut", unread)},
		"a repair with a fault that lasts": {given: func(m *Machine) { settled(m); m.fault = refusal }, installed: true,
			want: stored(applied, "False/Unhealthy", expected, unread)},
		"a later revision whose requirements cannot be checked": {given: func(m *Machine) {
			m.fault, m.observed, m.check.Problem.Err = refusal, &healthy, refusal
		}, installed: true, want: stored(applied, "True/Healthy", "True/RollingOut", expected)},
		"neither requirements nor objects can be checked": {given: func(m *Machine) {
			m.problem = Problem{Err: refusal}
			m.SetRemaining(Report{}, Problem{Err: refusal})
			m.fault, m.observed, m.check.Problem = refusal, &unhealthy, m.problem
		}, installed: true, want: stored(applied, "False/Unhealthy", "True/RollingOut", unread)},
		"drift that is ignored": {given: settled, fixture: func(f *fixture) { f.policy = corev1alpha2.DriftIgnoreAll }, installed: true,
			want: stored(applied, "True/Healthy", expected, "False/DriftIgnored")},
		"objects of an earlier revision are being deleted": {
			given: func(m *Machine) {
				settled(m)
				m.recordPruneWait(Removal{Waiting: "waiting for ConfigMap memo/a to be gone"})
			}, installed: true,
			want: stored(applied, "True/Healthy", "True/RollingOut", expected)},
		"objects of an earlier revision cannot be deleted": {
			given: func(m *Machine) {
				settled(m)
				m.recordPruneWait(Removal{Waiting: "ConfigMap memo/a: forbidden; grant it", Blocked: true})
			}, installed: true,
			want: stored(applied, "True/Healthy", "False/Blocked", expected)},
		"paused": {given: func(m *Machine) { settled(m); m.report = unhealthy }, fixture: func(f *fixture) { f.deployment.Spec.Paused = true }, installed: true,
			want: stored(applied, "False/Unhealthy", "False/Paused", expected)},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			if c.fixture != nil {
				c.fixture(f)
			}
			if c.installed {
				installed(f)
			}
			m := f.machine()
			m.active, m.desired, m.selected = f.history.Stored[0], f.history.Stored[1], true
			c.given(m)
			got := m.in.Deployment.DeepCopy()
			m.Report(&got.Status)
			reported := map[string]string{}
			for _, each := range got.Status.Conditions {
				reported[each.Type] = string(each.Status) + "/" + each.Reason
				if each.ObservedGeneration != 3 || each.Message == "" || len(each.Message) > MaxMessage {
					t.Errorf("%s has observedGeneration %d and message %q", each.Type, each.ObservedGeneration, each.Message)
				}
			}
			if diff := cmp.Diff(c.want, reported); diff != "" {
				t.Errorf("conditions (-want +got):\n%s", diff)
			}
			if after := meta.FindStatusCondition(got.Status.Conditions, corev1alpha2.ConditionInstalled); c.installed && after.LastTransitionTime.Unix() != 1 {
				t.Error("lastTransitionTime changed although the status did not")
			}
		})
	}
}

func TestUnhealthyMessage(t *testing.T) {
	const unready, command = "Deployment memo/memo: 0 of 1 updated replicas available", "kubectl describe -n memo deployment memo"
	for name, c := range map[string]struct {
		report Report
		want   string
	}{
		"an object that is not ready":        {Report{Unready: []string{unready}, Command: command}, unready + `. See "` + command + `".`},
		"several objects that are not ready": {Report{Unready: []string{unready, "b", "c"}, Command: command}, unready + ` (and 2 more). See "` + command + `".`},
		"an object that does not exist":      {Report{Unready: []string{"Service memo/memo: is not there"}}, "Service memo/memo: is not there."},
		"another obstacle":                   {Report{Waiting: "waiting for kind A", Unready: []string{unready}, Command: command}, "waiting for kind A."},
		"no known obstacle":                  {Report{}, "Not everything is applied yet."},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			m := f.machine()
			m.desired, m.report = f.history.Stored[1], c.report
			if diff := cmp.Diff(c.want, m.healthy().message); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHealthyWhilePausedIsNotAboutDrift(t *testing.T) {
	f := newFixture(t)
	f.deployment.Spec.Paused = true
	m := f.machine()
	m.active, m.desired, m.report = f.history.Stored[0], f.history.Stored[0], healthy
	if got := m.healthy(); got.status != isTrue || !strings.Contains(got.message, "spec.paused") {
		t.Errorf("%s: %s", got.status, got.message)
	}
}

func TestReturningToTheActiveRevisionIsReported(t *testing.T) {
	for name, c := range map[string]struct {
		reason   string
		complete bool
		want     string
	}{
		"not all objects are restored": {corev1alpha2.ReasonRollingOut, false, corev1alpha2.ReasonRollingOut},
		"all objects are restored":     {corev1alpha2.ReasonRollingOut, true, corev1alpha2.ReasonAsExpected},
		"a repair of drift":            {corev1alpha2.ReasonAsExpected, false, corev1alpha2.ReasonAsExpected},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.history.Stored[1].Stored = corev1alpha2.RevisionFailed
			f.writeRevisions()
			f.progressing(c.reason)
			m := f.machine()
			m.active, m.desired = f.history.Stored[0], f.history.Stored[0]
			m.report.Complete, m.report.Waiting = c.complete, "applied 8 of 50 objects"
			if got := m.progressing(); got.reason != c.want {
				t.Errorf("%s: %s", got.reason, got.message)
			}
		})
	}
}

func TestARollbackWithBlockedPruning(t *testing.T) {
	for want, blocked := range map[string]bool{corev1alpha2.ReasonRollingBack: false, corev1alpha2.ReasonDeadlineExceeded: true} {
		f := newFixture(t)
		f.history.Stored[1].Stored = corev1alpha2.RevisionFailed
		f.writeRevisions()
		m := f.machine()
		m.active, m.desired, m.failed, m.report = f.history.Stored[0], f.history.Stored[0], f.history.Stored[1], healthy
		m.recordPruneWait(Removal{Waiting: "ConfigMap memo/b: forbidden; grant it", Blocked: blocked})
		if got := m.progressing(); got.reason != want || !strings.Contains(got.message, "grant it") {
			t.Errorf("pruneBlocked %v: reason %s: %s", blocked, got.reason, got.message)
		}
	}
}

func TestMessage(t *testing.T) {
	for given, want := range map[string]string{"a\n b..": "a b.", "a.": "a."} {
		if got := Message(given); got != want {
			t.Errorf("Message(%q) = %q, want %q", given, got, want)
		}
	}
	if got := Message(strings.Repeat("ü", MaxMessage)); len(got) > MaxMessage || !strings.HasSuffix(got, "…") {
		t.Errorf("a long message has %d bytes, want at most MaxMessage", len(got))
	}
}

func TestMessageReturnsValidUTF8(t *testing.T) {
	for name, text := range map[string]string{
		"a cut within a character":   "a" + strings.Repeat("ü", MaxMessage),
		"invalid UTF-8 in the input": "value \"\xc3\" is refused",
	} {
		if got := Message(text); !utf8.ValidString(got) || len(got) > MaxMessage {
			t.Errorf("%s: %d bytes, %q; the API server would store another text, so that each sync would write it", name, len(got), got[max(0, len(got)-8):])
		}
	}
}

func TestHRD_M6_OneObjectIsCountedInTheSingular(t *testing.T) {
	one, two := Report{Total: 1, Complete: true}, Report{Total: 2, Complete: true}
	for name, c := range map[string]struct {
		given func(*Machine)
		want  string
	}{
		"applied":     {func(m *Machine) { m.desired, m.report = m.active, one }, "1 object is applied and ready."},
		"two applied": {func(m *Machine) { m.desired, m.report = m.active, two }, "All 2 objects are applied and ready."},
		"paused": {func(m *Machine) { m.desired, m.report, m.in.Deployment.Spec.Paused = m.active, one, true },
			"1 object exists and is ready; changes are not reverted while spec.paused is set."},
		"active": {func(m *Machine) { m.refusal, m.observed = errors.New("x"), &one },
			"1 object of revision 1 (version 1.0.0) is ready; the Progressing condition says why revision 2 (version 2.0.0) is not applied."},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			m := f.machine()
			m.active, m.desired, m.selected = f.history.Stored[0], f.history.Stored[1], true
			c.given(m)
			if got := m.healthy().message; got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
