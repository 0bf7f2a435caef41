package revision

import (
	"fmt"
	"slices"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/plan"
)

// maxWarnings is the maximum length of status.warnings.
const maxWarnings = 20

// WarningLog has the API server's warnings of one BundleDeployment until they are in its status. The zero value is ready for use.
type WarningLog struct{ unwritten []string }

// Add adds warnings, and returns an Event of each that is new. Those beyond the limit of status are dropped.
func (l *WarningLog) Add(warnings []string, status []string) []Event {
	var events []Event
	for _, each := range warnings {
		text := Message(each)
		if slices.Contains(status, text) || slices.Contains(l.unwritten, text) || len(status)+len(l.unwritten) >= maxWarnings {
			continue
		}
		l.unwritten = append(l.unwritten, text)
		events = append(events, Event{Reason: corev1alpha2.EventAPIWarning, Message: text, Warning: true})
	}
	return events
}

// AddTo returns the warnings of the status that was written last with those that are not in it.
func (l *WarningLog) AddTo(written []string) []string {
	return append(slices.Clone(written), l.unwritten...)
}

// HasUnwritten reports whether there are warnings that no status has.
func (l *WarningLog) HasUnwritten() bool { return len(l.unwritten) > 0 }

// Clear forgets the warnings: a status has them, or another revision begins.
func (l *WarningLog) Clear() { l.unwritten = nil }

// WithNamespaceWarning puts the warning of an install namespace before the others, or removes it if the manager created the namespace.
func WithNamespaceWarning(warnings []string, namespace plan.InstallNamespace) []string {
	made := namespace.Created
	namespace.Created = false
	unmade := namespaceWarning(namespace)
	all := slices.DeleteFunc(slices.Clone(warnings), func(text string) bool { return text == unmade })
	namespace.Created = made
	if text := namespaceWarning(namespace); text != "" {
		all = slices.Insert(all, 0, text)
	}
	return all[:min(len(all), maxWarnings)]
}

// namespaceWarning returns the warning of an install namespace that exists and is installed in; empty if there is none.
func namespaceWarning(namespace plan.InstallNamespace) string {
	known := plan.InstallNamespace{Name: namespace.Name, Exists: true, Created: namespace.Created, Installed: true, Manager: namespace.Manager}
	decision := known.Decide()
	if decision.Use != plan.NamespaceUsedWithWarning {
		return ""
	}
	return Message(fmt.Sprintf("Namespace %s: %s; %s", known.Name, decision.Message, decision.Remedy))
}
