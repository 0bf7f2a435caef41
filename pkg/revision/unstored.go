package revision

import (
	"errors"
	"fmt"
	"strings"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// usedRevisions returns the active revision and the newest one, if they exist. The manager stores them again if their stored copies are
// lost. After a restart, the active one is needed for repairs and rollbacks, and a failed one is needed so that it is not retried.
func (m *Machine) usedRevisions() []*Revision {
	newest := m.Newest()
	switch {
	case m.active == nil && newest == nil:
		return nil
	case m.active == nil || m.active == newest:
		return []*Revision{newest}
	case newest == nil:
		return []*Revision{m.active}
	}
	return []*Revision{m.active, newest}
}

// restore is the step that stores a used revision again if its stored copy is lost.
func (m *Machine) restore() Action {
	if m.in.UnknownClass != "" || m.in.Deployment.Spec.Paused {
		return Action{}
	}
	for _, each := range m.usedRevisions() {
		if each.Unstored != nil && !m.restored[each.Number] {
			m.restored[each.Number] = true
			return Action{Kind: Restore, Revision: each}
		}
	}
	return Action{}
}

// isUnstored reports whether the stored copy of a used revision is lost.
func (m *Machine) isUnstored() bool {
	for _, each := range m.usedRevisions() {
		if each.Unstored != nil {
			return true
		}
	}
	return false
}

// RestoreError is why a revision whose stored copy is lost is not stored again, although its source can be read.
type RestoreError struct {
	Cause RestoreCause
	Err   error
}

// RestoreCause is the cause of a RestoreError. Each cause has its own remedy.
type RestoreCause int

const (
	// OtherConfig means that the configuration or the format in the spec differs from that of the revision.
	OtherConfig RestoreCause = iota
	// NotRendered means that this manager cannot render the bundle.
	NotRendered
	// NoCertificates means that no component of the cluster issues the certificates that the bundle requires.
	NoCertificates
	// OtherObjects means that this manager renders other objects.
	OtherObjects
	// NotSaved means that the Secrets cannot be written.
	NotSaved
)

func (e *RestoreError) Error() string { return e.Err.Error() }

func (e *RestoreError) Unwrap() error { return e.Err }

// remedy describes how a lost stored copy is replaced. condition is a clause that says when the manager stores the revision again. fix is
// an imperative that says what an admin can do.
type remedy struct{ condition, fix string }

var (
	sourceRemedy = remedy{"its source can be read", "make the source readable"}
	remedies     = map[RestoreCause]remedy{
		OtherConfig:    {"the spec has the former configuration", "restore its Secrets from a backup, or set the former spec.config"},
		NotRendered:    {"this manager can render it", "restore its Secrets from a backup"},
		NoCertificates: {"a component of the cluster issues certificates", "install cert-manager"},
		OtherObjects:   {"this manager renders the same objects", "restore its Secrets from a backup"},
		NotSaved:       {"its Secrets can be written", "correct what prevents that"},
	}
)

// remedyOf returns the remedy for a value of Unstored.
func remedyOf(unstored error) remedy {
	if problem := (*RestoreError)(nil); errors.As(unstored, &problem) {
		return remedies[problem.Cause]
	}
	return sourceRemedy
}

// withUnstored adds a sentence about each used revision whose stored copy is lost. If the reason of the condition is AsExpected, it becomes
// Blocked. Any other reason, such as that of a rollout or a pause, stays.
func (m *Machine) withUnstored(progressing condition) condition {
	for _, each := range m.usedRevisions() {
		if each.Unstored == nil {
			continue
		}
		remedy := remedyOf(each.Unstored)
		if progressing.reason == corev1alpha2.ReasonAsExpected {
			return condition{corev1alpha2.ConditionProgressing, isFalse, corev1alpha2.ReasonBlocked, fmt.Sprintf(
				"%s is active, and its stored copy cannot be used: %v. It is stored again when %s. "+
					"%s; a manager that starts before that cannot repair the objects.",
				each.title(), each.Unstored, remedy.condition, strings.ToUpper(remedy.fix[:1])+remedy.fix[1:])}
		}
		next := fmt.Sprintf("It is stored again when %s; %s.", remedy.condition, remedy.fix)
		switch {
		case m.in.Deployment.Spec.Paused:
			next = "It is stored again when spec.paused is no longer set."
		case m.in.UnknownClass != "":
			next = "It is stored again when its provisioner class can be used."
		}
		progressing.message += fmt.Sprintf(" The stored copy of %s cannot be used: %v. %s", each, each.Unstored, next)
	}
	return progressing
}
