package limits

import (
	"fmt"
	"strings"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	"github.com/openshift/platform-operators/pkg/truncate"
)

// Decision is what follows from the limits that were in force last and those that there are.
type Decision struct {
	// Hold is why nothing may be chosen and nothing may move, and what to do about it; empty when the present limits count.
	Hold string
	// Record is what to keep from now on; nil when what is kept is right.
	Record *Record
}

// Decide judges the PlatformOperatorManager; nil is none. An edit of one counts at once, whatever it permits: who may edit limits
// may lift them. One that took the place of another counts when it keeps the limits of that, or when its annotation accepts its own.
// What is known of the former limits stays until then, so that no second deletion, and no restart, forgets them.
//
// Without a Record, a PlatformOperatorManager that is younger than an installation has had a predecessor with unknown limits: the
// manager installs nothing while none exists. Before the first installation there was none, and the present limits count.
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
		return Decision{Hold: stored.missing()}
	case former != nil && former.UID == now.UID && former.Limits.equal(now.Limits):
		return Decision{}
	case former == nil || former.UID == now.UID || accepted:
		return Decision{Record: &now}
	}
	if lost := weaker(former.Limits, now.Limits); len(lost) > 0 {
		return Decision{Hold: stored.lost(lost)}
	}
	return Decision{Record: &now}
}

// decideWithout judges that there is no PlatformOperatorManager. The manager creates it at once.
func decideWithout(stored Stored) Decision {
	switch {
	case stored.Fault != nil:
		return Decision{Hold: stored.unreadable()}
	case stored.Record == nil:
		return Decision{Hold: fmt.Sprintf("PlatformOperatorManager %q does not exist, so the manager does not know what it may install. "+
			"The manager creates it at once; if it stays missing, see the manager's log", operatorv1alpha1.PlatformOperatorManagerName)}
	case stored.Record.Limits.isZero():
		return Decision{} // the one that is created limits nothing either
	}
	return Decision{Hold: stored.lost(weaker(stored.Record.Limits, Limits{}))}
}

// lost names the limits that are gone, and the two ways out.
func (s Stored) lost(fields []string) string {
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

// missing reports that nothing records the limits of a predecessor.
func (s Stored) missing() string {
	const name = operatorv1alpha1.PlatformOperatorManagerName
	return fmt.Sprintf("ConfigMap %q in namespace %q does not exist, and PlatformOperatorManager %q is younger than the first installed operator: the limits before it are unknown. "+
		"Nothing is installed or moved until its limits are accepted: %s", ConfigMap, s.Namespace, name, accept())
}

func accept() string {
	return fmt.Sprintf("kubectl annotate platformoperatormanager %s %s=true", operatorv1alpha1.PlatformOperatorManagerName, operatorv1alpha1.AnnotationAcceptLimits)
}

// maxFault bounds the text of Fault in a message, in bytes.
const maxFault = 200
