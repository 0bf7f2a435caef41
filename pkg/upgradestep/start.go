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

// StepStart holds the time and the cause of the start of an upgrade step. It is stored as JSON in an annotation of the BundleDeployment.
// The API request that starts the step also writes the annotation, so that a restart of the manager cannot lose it. Earlier managers wrote
// the same JSON: its keys must not change.
type StepStart struct {
	Started metav1.Time              `json:"started"`
	Trigger platformv1alpha1.Trigger `json:"trigger"`
	// SpecHash is the SpecHash of the spec for which the step was decided.
	SpecHash string `json:"wish"`
	// Restores reports whether the BundleDeployment replaces a deleted one under which a version had been ready.
	Restores bool `json:"restores,omitempty"`
}

var knownTriggers = []platformv1alpha1.Trigger{
	platformv1alpha1.TriggerInstallation, platformv1alpha1.TriggerAutomatic, platformv1alpha1.TriggerApproved,
	platformv1alpha1.TriggerSelfCertified, platformv1alpha1.TriggerSpecChange, platformv1alpha1.TriggerRestored,
	platformv1alpha1.TriggerInstallChange, platformv1alpha1.TriggerRetry,
}

// RecordedStart returns the StepStart in the annotations of a BundleDeployment. It returns nil if there is none, if it is unreadable, or if
// its trigger is unknown, which status would not accept. It drops fractions of a second, which status cannot store.
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

// SpecHash returns a digest of spec.package and spec.upgrades, the fields that the choice of a version depends on.
func SpecHash(spec platformv1alpha1.PlatformOperatorSpec) string {
	text, err := json.Marshal([]any{spec.Package, spec.Upgrades})
	if err != nil {
		return "" // not reached: both consist of strings
	}
	digest := sha256.Sum256(text)
	return hex.EncodeToString(digest[:8])
}

// startTime returns now in whole seconds, or the first later second at which no step in the history started. The start time distinguishes
// two steps to the same bundle.
func startTime(now time.Time, history []platformv1alpha1.HistoryEntry) metav1.Time {
	start := metav1.NewTime(now).Rfc3339Copy()
	for slices.ContainsFunc(history, func(entry platformv1alpha1.HistoryEntry) bool { return entry.StartedTime.Equal(&start) }) {
		start = metav1.NewTime(start.Add(time.Second))
	}
	return start
}
