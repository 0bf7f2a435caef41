package revision

import (
	"fmt"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// usedRevisions returns the active revision and the newest one, as far as they exist. The manager stores them again if their stored copies
// are lost: after a restart, the active one is needed to repair and roll back, and a failed one so that it is not tried again.
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

// restore is the step that stores used revisions again whose stored copies are lost.
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

// withUnstored adds a sentence about each used revision whose stored copy is lost. A rollout, a rollback and a pause keep their reasons.
func (m *Machine) withUnstored(progressing condition) condition {
	for _, each := range m.usedRevisions() {
		if each.Unstored == nil {
			continue
		}
		if progressing.reason == corev1alpha2.ReasonAsExpected {
			return condition{corev1alpha2.ConditionProgressing, isFalse, corev1alpha2.ReasonBlocked, fmt.Sprintf(
				"%s is active, and its stored copy cannot be used: %v. It is stored again when its source can be read. "+
					"Make the source readable; a manager that starts before that cannot repair the objects.",
				each.title(), each.Unstored)}
		}
		next := "It is stored again when its source can be read; make the source readable."
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
