package upgradestep

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// StepStart records when and why an upgrade step started. It is written in the same request that starts the step, as JSON in an annotation
// of the BundleDeployment, so that no restart of the manager loses it. Earlier managers wrote the same JSON: its keys must not change.
type StepStart struct {
	Started metav1.Time              `json:"started"`
	Trigger platformv1alpha1.Trigger `json:"trigger"`
	// SpecHash is the SpecHash of the spec by which the step was decided.
	SpecHash string `json:"wish"`
	// Restores reports that the BundleDeployment replaces one that was deleted and under which a version had been ready.
	Restores bool `json:"restores,omitempty"`
}

var knownTriggers = []platformv1alpha1.Trigger{
	platformv1alpha1.TriggerInstallation, platformv1alpha1.TriggerAutomatic, platformv1alpha1.TriggerApproved,
	platformv1alpha1.TriggerSelfCertified, platformv1alpha1.TriggerSpecChange, platformv1alpha1.TriggerRestored,
}

// RecordedStart reads the StepStart in the annotations of a BundleDeployment. It returns nil if there is none, or one that status would not
// accept: an unknown trigger. Fractions of a second, which status cannot keep, are dropped.
func RecordedStart(deployment *corev1alpha2.BundleDeployment) *StepStart {
	start := &StepStart{}
	if err := json.Unmarshal([]byte(deployment.Annotations[platformv1alpha1.AnnotationHop]), start); err != nil || start.Started.IsZero() {
		return nil
	}
	if !slices.Contains(knownTriggers, start.Trigger) {
		return nil
	}
	start.Started = start.Started.Rfc3339Copy()
	return start
}

// SpecHash returns a digest of the version and upgrade fields of a spec.
func SpecHash(spec platformv1alpha1.PlatformOperatorSpec) string {
	text, err := json.Marshal([]any{spec.Package, spec.Upgrades})
	if err != nil {
		return "" // not reached: both are made of strings
	}
	digest := sha256.Sum256(text)
	return hex.EncodeToString(digest[:8])
}

// startTime returns now in whole seconds, or the next second that no entry of the history has: the start distinguishes two steps to one
// bundle.
func startTime(now time.Time, history []platformv1alpha1.HistoryEntry) metav1.Time {
	start := metav1.NewTime(now).Rfc3339Copy()
	for slices.ContainsFunc(history, func(entry platformv1alpha1.HistoryEntry) bool { return entry.StartedTime.Equal(&start) }) {
		start = metav1.NewTime(start.Add(time.Second))
	}
	return start
}
