package explain

import (
	"io"
	"slices"
	"strings"
	"time"

	"github.com/openshift/platform-operators/pkg/cli/operators"
	"github.com/openshift/platform-operators/pkg/cli/printer"
)

// layout is how a report is printed.
type layout struct {
	printer.Layout
	now time.Time
}

// print writes a report.
func (r Report) print(w io.Writer, l layout) error {
	if written, err := l.WriteForPrograms(w, r, nil); written {
		return err
	}
	var out strings.Builder
	if sentence := r.Cluster.ManagerSentence(l.now); sentence != "" {
		out.WriteString(printer.Indented(sentence, "", l.Width) + "\n")
	}
	out.WriteString(printer.Indented(r.Cluster.Sentence(), "", l.Width))
	writeLinks(&out, r.Links, "  ", l.Width)
	for _, chain := range r.Chains {
		out.WriteString("\n" + printer.Indented(chain.sentence(), "", l.Width))
		if chain.Outdated {
			out.WriteString(printer.Indented(operators.OutdatedText, "  ", l.Width))
		}
		writeLinks(&out, chain.Links, "  ", l.Width)
	}
	if len(r.Chains) == 0 && r.Blocked {
		out.WriteString("\n" + printer.Indented("No PlatformOperator or BundleDeployment that can be read blocks the upgrade. The message "+
			"above gives the cause.", "", l.Width))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// sentence names the operator and says whether anything is wrong with it.
func (c Chain) sentence() string {
	subject := c.Operator
	if c.Deployment != "" {
		subject = "BundleDeployment " + c.Deployment
	}
	if c.Version != "" {
		subject += " " + c.Version
	}
	switch {
	case c.BlocksCluster:
		return subject + " blocks the upgrade of the cluster:"
	case c.Blocked:
		return subject + " does not block the upgrade of the cluster, and is blocked itself:"
	case slices.ContainsFunc(c.Links, func(link Link) bool { return link.Effect == Waiting }):
		return subject + " does not block the upgrade of the cluster, and waits for an approval or for the end of a pause:"
	case len(c.Links) > 0:
		return subject + " does not block the upgrade of the cluster, and is not blocked:"
	}
	return subject + " does not block the upgrade of the cluster, and is not blocked. Its conditions need no explanation."
}

// writeLinks writes links: each a condition, its meaning, its message, its properties, and the next step.
func writeLinks(out *strings.Builder, links []Link, indent string, width int) {
	for i, link := range links {
		if i > 0 {
			out.WriteString("\n")
		}
		out.WriteString(printer.Indented(link.sentence(), indent, width))
		inner := indent + "  "
		out.WriteString(printer.Indented(link.Explanation, inner, width))
		if link.Message != "" {
			out.WriteString(printer.Indented("Message: "+link.Message, inner, width))
		}
		for _, property := range link.Properties {
			out.WriteString(printer.Indented(property.sentence(), inner, width))
		}
		if link.Remedy != nil {
			out.WriteString(printer.Indented("Next: "+link.Remedy.Text, inner, width))
			out.WriteString(printer.Indented(link.Remedy.Command, inner+"  ", width))
		}
	}
}
