package graph

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/openshift/platform-operators/pkg/cli/printer"
)

// writeText writes the report for people: the newest version first, and below each the edges that lead to it.
func (r *Report) writeText(w io.Writer, width int) error {
	var head strings.Builder
	for _, line := range r.heading() {
		head.WriteString(printer.Indented(line, "", width))
	}
	for _, step := range r.StepRules {
		head.WriteString(printer.Indented(step.sentence(), "  ", width))
	}
	for _, note := range r.Notes {
		head.WriteString(printer.Indented("Note: "+note, "", width))
	}
	if r.unlisted > 0 {
		head.WriteString(printer.Indented(fmt.Sprintf("Note: %d edges are not listed. Select fewer channels with --channel.", r.unlisted), "",
			width))
	}
	if _, err := io.WriteString(w, head.String()); err != nil {
		return err
	}
	for i, node := range slices.Backward(r.Nodes) {
		var out strings.Builder
		out.WriteString("\n" + printer.Indented(node.heading(), "", width))
		if node.Reason != "" {
			out.WriteString(printer.Indented(fmt.Sprintf("blocked (%s): %s", node.Reason, node.Message), "  ", width))
		}
		for _, group := range r.grouped(i) {
			out.WriteString(printer.Indented(r.sentenceOf(group, node), "  ", width))
		}
		if _, err := io.WriteString(w, out.String()); err != nil {
			return err
		}
	}
	return nil
}

// heading returns what the graph shows, and the number of its versions and edges.
func (r *Report) heading() []string {
	subject := fmt.Sprintf("Package %s of %s", r.Package, r.Catalog)
	if r.Installed != "" {
		subject += fmt.Sprintf(", with version %s of PlatformOperator %s", r.Installed, r.Operator)
	}
	counts := fmt.Sprintf("%s, %s", printer.Count(len(r.Nodes), "version"), printer.Count(r.EdgeTotal, "edge"))
	if kinds := r.kinds(); kinds != "" {
		counts += ": " + kinds
	}
	lines := []string{subject, "Channels: " + strings.Join(r.Channels, ", "), "Semantics: " + strings.Join(r.Semantics, " and "), counts}
	if len(r.StepRules) > 0 {
		lines = append(lines, "Step rules:")
	}
	return lines
}

// kinds returns the number of edges of each kind, and the number of edges that are blocked. An edge can have several kinds.
func (r *Report) kinds() string {
	counts, blocked := map[string]int{}, 0
	for _, group := range slices.Concat(r.into...) {
		sources := group.edge.Sources
		for i, source := range sources {
			if !slices.ContainsFunc(sources[:i], func(s Source) bool { return s.Kind == source.Kind }) {
				counts[source.Kind] += group.count
			}
		}
		if group.edge.Reason != "" {
			blocked += group.count
		}
	}
	var parts []string
	for _, kind := range []string{"replaces", "skips", "skipRange", "semver", "self-certified"} {
		if counts[kind] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[kind], kind))
		}
	}
	if blocked > 0 {
		parts = append(parts, fmt.Sprintf("%d blocked", blocked))
	}
	return strings.Join(parts, ", ")
}

// sentence returns what a step rule requires.
func (s StepRule) sentence() string {
	text := fmt.Sprintf("from %s to %s only through %s", s.From, s.To, s.Through)
	if s.Select == "latest" {
		text = fmt.Sprintf("from %s to %s only through the latest of %s", s.From, s.To, s.Through)
	}
	if s.Reason != "" {
		text += ": " + s.Reason
	}
	return text + " (" + s.Rules + ")"
}

// heading returns the version and what the reader should know about it.
func (n Node) heading() string {
	var parts []string
	if n.Installed {
		parts = append(parts, "installed")
	}
	if n.Missing {
		parts = append(parts, "not in these channels")
	}
	switch {
	case n.Steps == 1:
		parts = append(parts, "1 step")
	case n.Steps > 1 && len(n.Path) > 0:
		parts = append(parts, fmt.Sprintf("%d steps: %s", n.Steps, strings.Join(n.Path, " -> ")))
	case n.Steps > 1:
		parts = append(parts, fmt.Sprintf("%d steps", n.Steps))
	}
	if n.MaxOpenShift != "" {
		parts = append(parts, "OpenShift up to "+n.MaxOpenShift)
	}
	if n.Deprecated {
		parts = append(parts, "deprecated")
	}
	text := n.Version
	if len(n.Channels) > 0 {
		text += " [" + strings.Join(n.Channels, ", ") + "]"
	}
	return strings.Join(append([]string{text}, parts...), "; ")
}
