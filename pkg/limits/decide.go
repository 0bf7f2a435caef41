package limits

import (
	"fmt"
	"strings"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	"github.com/openshift/platform-operators/pkg/truncate"
)

// Decision is the result of comparing the recorded limits with the current ones.
type Decision struct {
	// Hold is the reason why no bundle may be selected and no upgrade may start, together with a remedy; empty if the current limits apply.
	Hold string
	// Record is the new record; nil if the stored one is up to date.
	Record *Record
}

// Decide compares the recorded limits with those of the PlatformOperatorManager; present is nil if none exists. An edit applies at once,
// because a user who may edit the limits may also remove them. The limits of a recreated PlatformOperatorManager apply if they permit no
// more than those of its predecessor, or if its annotation accepts the new limits. Until then the Record keeps the predecessor's limits,
// even across a second deletion or a restart. If the Record is unreadable, nothing is installed or upgraded until the annotation accepts
// the current limits.
//
// The manager installs nothing while no PlatformOperatorManager exists. So if no Record is stored, a PlatformOperatorManager that is
// younger than the first installation had a predecessor, whose limits are unknown. If nothing is installed, the current limits apply.
func Decide(stored Stored, present *operatorv1alpha1.PlatformOperatorManager) Decision {
	if present == nil {
		return decideWithout(stored)
	}
	now := Record{UID: present.UID, Limits: Of(present.Spec)}
	former := stored.Record
	accepted := present.Annotations[operatorv1alpha1.AnnotationAcceptLimits] == "true"
	switch {
	case stored.Fault != nil && !accepted:
		return Decision{Hold: stored.unreadable()}
	case former == nil && !accepted && !stored.FirstInstallation.IsZero() && stored.FirstInstallation.Before(present.CreationTimestamp.Time):
		return Decision{Hold: stored.missingMessage()}
	case former != nil && former.UID == now.UID && former.Limits.equal(now.Limits):
		return Decision{}
	case former == nil || former.UID == now.UID || accepted:
		return Decision{Record: &now}
	}
	if lost := weaker(former.Limits, now.Limits); len(lost) > 0 {
		return Decision{Hold: stored.lostMessage(lost)}
	}
	return Decision{Record: &now}
}

// decideWithout returns the Decision while no PlatformOperatorManager exists. Nothing may be installed or upgraded, unless the Record
// contains no limits. The manager recreates the PlatformOperatorManager at once.
func decideWithout(stored Stored) Decision {
	switch {
	case stored.Fault != nil:
		return Decision{Hold: stored.unreadable()}
	case stored.Record == nil:
		return Decision{Hold: fmt.Sprintf("PlatformOperatorManager %q does not exist, so the manager does not know what it may install. "+
			"The manager creates it at once; if it stays missing, see the manager's log", operatorv1alpha1.PlatformOperatorManagerName)}
	case stored.Record.Limits.isZero():
		return Decision{} // the recreated PlatformOperatorManager has no limits either
	}
	return Decision{Hold: stored.lostMessage(weaker(stored.Record.Limits, Limits{}))}
}

// lostMessage returns the message that reports lost limits, with the two remedies.
func (s Stored) lostMessage(fields []string) string {
	const name = operatorv1alpha1.PlatformOperatorManagerName
	return fmt.Sprintf("PlatformOperatorManager %q was deleted, and its replacement permits more (%s). "+
		"Nothing is installed or moved until you restore the limits: "+
		"kubectl patch platformoperatormanager %s --type merge -p \"$(kubectl get configmap %s -n %s -o jsonpath='{.data.%s}')\". "+
		"To accept what the replacement permits instead: %s", name, strings.Join(fields, ", "), name, ConfigMap, s.Namespace, keyPatch, accept())
}

func (s Stored) unreadable() string {
	return fmt.Sprintf("ConfigMap %q in namespace %q, which keeps the limits of PlatformOperatorManager %q, cannot be read: %s. "+
		"Nothing is installed or moved until you accept the limits of the current PlatformOperatorManager: %s",
		ConfigMap, s.Namespace, operatorv1alpha1.PlatformOperatorManagerName, truncate.OneLine(s.Fault.Error(), maxFault), accept())
}

// missingMessage returns the message for the case that no Record holds the predecessor's limits.
func (s Stored) missingMessage() string {
	const name = operatorv1alpha1.PlatformOperatorManagerName
	return fmt.Sprintf("ConfigMap %q in namespace %q does not exist, and PlatformOperatorManager %q is younger than the first installed operator: the limits before it are unknown. "+
		"Nothing is installed or moved until its limits are accepted: %s", ConfigMap, s.Namespace, name, accept())
}

func accept() string {
	return fmt.Sprintf("kubectl annotate platformoperatormanager %s %s=true", operatorv1alpha1.PlatformOperatorManagerName, operatorv1alpha1.AnnotationAcceptLimits)
}

// maxFault is the maximum size of the text of Stored.Fault in a message, in bytes.
const maxFault = 200
