package status

import (
	"fmt"
	"strings"
	"time"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/cli/printer"
	"github.com/openshift/platform-operators/pkg/cli/remedy"
)

// maxListed is the maximum number of entries that the tables show for a list. JSON and YAML contain all entries in the status.
const maxListed = 5

// write writes the parts of a detail that are not empty. operator is the name of the PlatformOperator.
func (d *Detail) write(out *strings.Builder, l layout, operator string) {
	if d.Bundle != "" {
		bundle := []string{d.Bundle, d.Image}
		if d.Mirror != "" {
			bundle = append(bundle, "read from mirror "+d.Mirror)
		}
		writeSection(out, l, "Bundle", bundle)
	}
	writeSection(out, l, "Upgrade path", lines(len(d.Path), func(i int) string { return d.Path[i] }))
	if d.AwaitedPlan != "" {
		writeSection(out, l, "Plan that waits for an approval", []string{
			d.AwaitedPlan, "Read it and approve it with: " + remedy.Tools{Plugin: l.name}.Approve(operator),
		})
	}
	writeSection(out, l, "Conditions", d.conditions())
	writeSection(out, l, fmt.Sprintf("Available updates (%d)", d.UpdatesTotal), d.updates())
	changed, added := d.changes(l.now)
	writeSection(out, l, "Drift", changed)
	writeSection(out, l, "Fields that others added", added)
	writeSection(out, l, "Not healthy", lines(len(d.Unready), func(i int) string { return d.Unready[i] }))
	writeSection(out, l, "Warnings", lines(len(d.Warnings), func(i int) string { return d.Warnings[i] }))
	if d.Last != nil {
		writeSection(out, l, "Last upgrade step", []string{
			fmt.Sprintf("%s %s, begun %s ago (%s)", d.Last.Version, d.Last.State, printer.Age(d.Last.Started, l.now), d.Last.Trigger),
		})
	}
}

// writeSection writes a heading and its entries. It writes nothing if there are no entries.
func writeSection(out *strings.Builder, l layout, heading string, entries []string) {
	if len(entries) == 0 {
		return
	}
	out.WriteString("\n" + heading + ":\n")
	for _, entry := range entries {
		out.WriteString(printer.Indented(entry, "  ", l.Width))
	}
}

// lines returns the first entries of a list, and a line that gives the number of the others.
func lines(length int, entry func(int) string) []string {
	var found []string
	for i := range min(length, maxListed) {
		found = append(found, entry(i))
	}
	if more := length - maxListed; more > 0 {
		found = append(found, fmt.Sprintf("and %d more; -o yaml shows them", more))
	}
	return found
}

// conditions returns a line for each condition. It omits none: there are only a handful, and an admin may look for any of the messages.
func (d *Detail) conditions() []string {
	var found []string
	for _, condition := range d.Conditions {
		reason := condition.Reason
		if condition.Outdated {
			reason += ", outdated"
		}
		found = append(found, fmt.Sprintf("%s=%s (%s): %s", condition.Type, condition.Status, reason, condition.Message))
	}
	return found
}

func (d *Detail) updates() []string {
	found := lines(min(len(d.Updates), maxListed), func(i int) string { return d.Updates[i].sentence() })
	if more := d.UpdatesTotal - maxListed; more > 0 {
		found = append(found, fmt.Sprintf("and %d more; -o yaml shows the newest %d", more, len(d.Updates)))
	}
	return found
}

func (u Update) sentence() string {
	if u.Reason == "" {
		return u.Version
	}
	return fmt.Sprintf("%s is blocked (%s): %s", u.Version, u.Reason, u.Message)
}

// changes returns the lines of the two sections about changes by others: those that make the operator drift, and added fields, which do not
// unless the manager is to remove them.
func (d *Detail) changes(now time.Time) (changed, added []string) {
	for _, each := range d.Drift {
		line := each.sentence(now)
		if each.Change == string(corev1alpha2.DriftAdded) && each.Outcome == string(corev1alpha2.DriftReported) {
			added = append(added, line)
		} else {
			changed = append(changed, line)
		}
	}
	return lines(len(changed), func(i int) string { return changed[i] }), lines(len(added), func(i int) string { return added[i] })
}

// sentence returns, for example, "Deployment ns/name: Edited by kubectl-edit (/spec/replicas), 5m ago: Reported".
func (d Drift) sentence(now time.Time) string {
	text := d.Object + ": " + d.Change
	if d.Manager != "" {
		text += " by " + d.Manager
	}
	if len(d.Paths) > 0 {
		text += " (" + strings.Join(d.Paths, ", ") + ")"
	}
	if !d.Time.IsZero() {
		text += ", " + printer.Age(d.Time, now) + " ago"
	}
	if d.Outcome != "" {
		text += ": " + d.Outcome
	}
	return text
}
