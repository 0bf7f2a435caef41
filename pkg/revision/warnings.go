package revision

import (
	"fmt"
	"slices"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/plan"
)

// maxWarnings is the maximum length of status.warnings.
const maxWarnings = 20

// WarningLog collects the API server's warnings for one BundleDeployment until they are in its status. The zero value is ready for use.
type WarningLog struct{ unwritten []string }

// Add adds warnings, and returns an Event for each new one. status holds the warnings in the last written status. Add drops warnings that
// exceed the maximum length of status.warnings.
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

// AddTo returns the warnings in the last written status, followed by those that are not written yet.
func (l *WarningLog) AddTo(written []string) []string {
	return append(slices.Clone(written), l.unwritten...)
}

// HasUnwritten reports whether there are warnings that are not in a written status yet.
func (l *WarningLog) HasUnwritten() bool { return len(l.unwritten) > 0 }

// Clear removes the warnings. Call it after a status with them was written, or before a different revision starts.
func (l *WarningLog) Clear() { l.unwritten = nil }

// WithWarnings appends warnings to those in a status, without duplicates, limited in number and length.
func WithWarnings(status, more []string) []string {
	all := slices.Clone(status)
	for _, each := range more {
		if text := Message(each); len(all) < maxWarnings && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// BundleWarnings returns the warnings about a bundle's manifests for status, limited in number and length.
func BundleWarnings(m bundle.Metadata) []string {
	var warnings []string
	for _, each := range m.Warnings[:min(len(m.Warnings), maxBundleWarnings)] {
		warnings = append(warnings, Message(each))
	}
	return warnings
}

// maxBundleWarnings is the maximum number of warnings about manifests. It leaves room for warnings from the API server.
const maxBundleWarnings = maxWarnings / 2

// WithNamespaceWarning puts the warning about the install namespace before the others. If the manager created the namespace,
// WithNamespaceWarning removes that warning instead.
func WithNamespaceWarning(warnings []string, namespace plan.InstallNamespace) []string {
	created := namespace.Created
	namespace.Created = false
	warning := namespaceWarning(namespace)
	all := slices.DeleteFunc(slices.Clone(warnings), func(text string) bool { return text == warning })
	namespace.Created = created
	if text := namespaceWarning(namespace); text != "" {
		all = slices.Insert(all, 0, text)
	}
	return all[:min(len(all), maxWarnings)]
}

// namespaceWarning returns the warning about using an existing install namespace; empty if there is none.
func namespaceWarning(namespace plan.InstallNamespace) string {
	known := plan.InstallNamespace{Name: namespace.Name, Exists: true, Created: namespace.Created, Installed: true, Manager: namespace.Manager}
	decision := known.Decide()
	if decision.Use != plan.NamespaceUsedWithWarning {
		return ""
	}
	return Message(fmt.Sprintf("Namespace %s: %s; %s", known.Name, decision.Message, decision.Remedy))
}
