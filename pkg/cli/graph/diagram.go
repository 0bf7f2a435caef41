package graph

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/openshift/platform-operators/pkg/cli/printer"
)

// maxMermaidEdges is the maximum number of edges of a diagram that Mermaid accepts by default.
const maxMermaidEdges = 500

// writeMermaid writes the report as a Mermaid flowchart.
func (r *Report) writeMermaid(w io.Writer) error {
	out, positions := bufio.NewWriter(w), r.positions()
	fmt.Fprintln(out, "flowchart BT")
	for i, node := range r.Nodes {
		fmt.Fprintf(out, "  n%d[\"%s\"]%s\n", i, mermaidText(node.caption()), mermaidClass(node))
	}
	for _, edge := range r.Edges {
		arrow := "-->"
		if edge.Reason != "" {
			arrow = "-.-x"
		}
		_, err := fmt.Fprintf(out, "  n%d %s|\"%s\"| n%d\n", positions[edge.From], arrow, mermaidText(edge.caption()), positions[edge.To])
		if err != nil {
			return err
		}
	}
	fmt.Fprintln(out, "  classDef installed stroke-width:4px")
	fmt.Fprintln(out, "  classDef blocked stroke-dasharray:5 5")
	return out.Flush()
}

func mermaidClass(node Node) string {
	switch {
	case node.Installed:
		return ":::installed"
	case node.Reason != "":
		return ":::blocked"
	}
	return ""
}

// mermaidText escapes text for a quoted label. Names of channels and bundles come from a catalog and can contain any character.
func mermaidText(text string) string {
	return strings.NewReplacer("#", "#35;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "&", "#amp;", "`", "#96;").Replace(printer.OneLine(text))
}

// writeDOT writes the report in DOT, the language of Graphviz.
func (r *Report) writeDOT(w io.Writer) error {
	out, positions := bufio.NewWriter(w), r.positions()
	fmt.Fprintf(out, "digraph %s {\n  rankdir=BT;\n  node [shape=box];\n", dotText(r.Package))
	for i, node := range r.Nodes {
		style := ""
		switch {
		case node.Installed:
			style = ", penwidth=3"
		case node.Reason != "":
			style = ", style=dashed"
		}
		fmt.Fprintf(out, "  n%d [label=%s%s];\n", i, dotText(node.caption()), style)
	}
	for _, edge := range r.Edges {
		style := ""
		if edge.Reason != "" {
			style = ", style=dashed, arrowhead=tee"
		}
		_, err := fmt.Fprintf(out, "  n%d -> n%d [label=%s%s];\n", positions[edge.From], positions[edge.To], dotText(edge.caption()), style)
		if err != nil {
			return err
		}
	}
	fmt.Fprintln(out, "}")
	return out.Flush()
}

func dotText(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(printer.OneLine(text)) + `"`
}

// caption returns the text of a node in a diagram.
func (n Node) caption() string {
	parts := []string{n.Version}
	if n.Installed {
		parts = append(parts, "installed")
	}
	if n.Reason != "" {
		parts = append(parts, n.Reason)
	}
	return strings.Join(parts, ", ")
}

// caption returns the text of an edge in a diagram: its kinds and channels, and the reason if it is blocked. Only the other formats show
// messages.
func (e Edge) caption() string {
	text := e.sources()
	if e.Reason != "" {
		text += "; blocked: " + e.Reason
	}
	return text
}
