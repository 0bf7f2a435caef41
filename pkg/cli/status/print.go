package status

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/openshift/platform-operators/pkg/cli/operators"
	"github.com/openshift/platform-operators/pkg/cli/printer"
)

// maxExplained is the maximum number of operators whose messages follow the table. To see the messages of any other operator, the user
// names it in the command.
const maxExplained = 10

// layout is how a report is printed.
type layout struct {
	printer.Layout
	now time.Time
	// name is the command in remedies, such as "oc platform", and client is "oc" or "kubectl".
	name, client string
}

// print writes a report.
func (r Report) print(w io.Writer, l layout) error {
	if written, err := l.WriteForPrograms(w, r, operators.Names(r.Operators)); written {
		return err
	}
	var out strings.Builder
	if sentence := r.Cluster.ManagerSentence(l.now); sentence != "" {
		out.WriteString(printer.Indented(sentence, "", l.Width) + "\n")
	}
	r.Cluster.write(&out, l)
	out.WriteString("\n")
	if err := r.writeOperators(&out, l); err != nil {
		return err
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// write writes the verdict: one sentence, the message of the condition unless the upgrade is permitted, and the conditions of the
// ClusterOperator or the manager.
func (c Cluster) write(out *strings.Builder, l layout) {
	out.WriteString(printer.Indented(c.Sentence(), "", l.Width))
	if c.Decision != Permitted {
		out.WriteString(printer.Indented(c.Message, "  ", l.Width))
	}
	if len(c.Conditions) == 0 {
		return
	}
	var states []string
	for _, condition := range c.Conditions {
		states = append(states, condition.Type+"="+condition.Status)
	}
	out.WriteString(printer.Indented(fmt.Sprintf("%s: %s", cmp.Or(c.Source, "Manager"), strings.Join(states, " ")), "", l.Width))
	for _, condition := range c.Conditions {
		if condition.isBad() {
			out.WriteString(printer.Indented(c.textOf(condition), "  ", l.Width))
		}
	}
}

// textOf returns the message of a condition. It adds the type, except to a ClusterOperator's messages, which already begin with the names
// of conditions.
func (c Cluster) textOf(condition Condition) string {
	if c.isFromClusterOperator && condition.Message != "" {
		return condition.Message
	}
	return condition.Type + ": " + cmp.Or(condition.Message, condition.Reason)
}

// Sentence returns the verdict as one sentence.
func (c Cluster) Sentence() string {
	subject, next := "The cluster", "the next minor version of OpenShift"
	if c.Version != "" {
		subject = "OpenShift " + c.Version
	}
	if c.NextMinor != "" {
		next = c.NextMinor
	}
	switch c.Decision {
	case Permitted:
		return fmt.Sprintf("%s: the platform operators permit the upgrade to %s.", subject, next)
	case Blocked:
		return fmt.Sprintf("%s: the upgrade to %s is blocked (%s).", subject, next, cmp.Or(c.Reason, "no reason"))
	}
	because := "no object that can be read has condition Upgradeable"
	if c.condition != "" {
		because = fmt.Sprintf("condition %s of %s is Unknown (%s)", c.condition, c.Source, cmp.Or(c.Reason, "no reason"))
	}
	return fmt.Sprintf("%s: it is not known whether the platform operators permit the upgrade to %s, because %s.", subject, next, because)
}

// isBad reports whether an admin has to see the message of a condition.
func (c Condition) isBad() bool {
	isTrue := c.Status == "True"
	if strings.HasSuffix(c.Type, "Available") {
		return !isTrue
	}
	return isTrue
}

// writeOperators writes the counts and the table. The detail follows, or else the messages of the operators that are not healthy.
func (r Report) writeOperators(out *strings.Builder, l layout) error {
	if len(r.Operators) == 0 {
		out.WriteString(printer.Indented(fmt.Sprintf("No PlatformOperators are installed. Find packages with: %s search", l.name), "", l.Width))
		r.writeOtherDeployments(out, l)
		return nil
	}
	out.WriteString(printer.Indented(r.Summary.sentence(), "", l.Width) + "\n")
	if err := r.table(l).Write(out, l.Width, l.Headers); err != nil {
		return err
	}
	if r.Summary.Outdated > 0 {
		out.WriteString("\n" + printer.Indented(operators.OutdatedText, "", l.Width))
	}
	if r.Detail != nil {
		r.Detail.write(out, l, r.Operators[0].Name)
		return nil
	}
	r.writeMessages(out, l)
	r.writeOtherDeployments(out, l)
	return nil
}

// writeOtherDeployments names the BundleDeployments that the table does not contain, because no PlatformOperator owns them.
func (r Report) writeOtherDeployments(out *strings.Builder, l layout) {
	if len(r.OtherDeployments) > 0 {
		out.WriteString("\n" + printer.Indented(fmt.Sprintf("%s without a PlatformOperator: %s. See them with: %s get bundledeployments",
			printer.Count(len(r.OtherDeployments), "BundleDeployment"), printer.First(maxListed, r.OtherDeployments), l.client), "", l.Width))
	}
}

// writeMessages writes the reason and the message of each operator that is not healthy.
func (r Report) writeMessages(out *strings.Builder, l layout) {
	explained := 0
	for _, o := range r.Operators {
		if o.Message == "" {
			continue
		}
		if explained++; explained > maxExplained {
			continue
		}
		out.WriteString("\n" + printer.Indented(heading(o), "", l.Width))
		out.WriteString(printer.Indented(o.Message, "  ", l.Width))
	}
	if more := explained - maxExplained; more > 0 {
		out.WriteString("\n" + printer.Indented(fmt.Sprintf("%s more with a message. Show one with: %s status NAME", printer.Count(more,
			"operator"), l.name), "", l.Width))
	}
}

// heading returns the name and the state of an operator, and the reason if it says more than the state.
func heading(o operators.Operator) string {
	if o.Reason == "" || o.Reason == string(o.State) {
		return fmt.Sprintf("%s: %s", o.Name, o.State)
	}
	return fmt.Sprintf("%s: %s (%s)", o.Name, o.State, o.Reason)
}

// sentence returns the counts that are not zero.
func (s Summary) sentence() string {
	parts := []string{fmt.Sprintf("%d installed", s.Installed), fmt.Sprintf("%d healthy", s.Healthy)}
	for _, each := range []struct {
		number int
		text   string
	}{
		{s.Changing, "changing"}, {s.Blocked, "blocked"}, {s.Drifted, "drifted"}, {s.Waiting, "waiting"}, {s.Deprecated, "deprecated"},
		{s.Outdated, "outdated"}, {s.BlocksCluster, "blocking the cluster upgrade"},
	} {
		if each.number > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", each.number, each.text))
		}
	}
	return printer.Count(s.Total, "operator") + ": " + strings.Join(parts, ", ")
}

func (r Report) table(l layout) printer.Table {
	table := printer.Table{Columns: []string{"NAME", "VERSION", "STATE", "UPDATE", "DRIFTED", "BLOCKS CLUSTER"}}
	if l.IsWide() {
		table.Columns = append(table.Columns, "PACKAGE", "TARGET", "CHANNEL", "MAX OPENSHIFT", "CATALOG", "AGE")
	}
	for _, o := range r.Operators {
		row := []string{o.Name, o.Version, o.ShownState(), o.Update, known(o.Drifted), known(o.BlocksCluster)}
		if l.IsWide() {
			row = append(row, o.Package, o.Target, o.Channel, o.MaxOpenShift, o.Catalog, printer.Age(o.Created, l.now))
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

// known returns "Yes" or "No" for a value, and "Unknown" for nil.
func known(value *bool) string {
	switch {
	case value == nil:
		return "Unknown"
	case *value:
		return "Yes"
	}
	return "No"
}
