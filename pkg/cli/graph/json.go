package graph

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/openshift/platform-operators/pkg/cli/printer"
)

// noEdges is how the JSON of a report without edges ends.
const noEdges = "[]\n}\n"

// writeJSON writes the same as printer.Report, but writes the edges one by one. The text of a graph with millions of edges would need more
// memory than the graph itself.
func (r *Report) writeJSON(w io.Writer) error {
	edges, withoutEdges := r.Edges, *r
	withoutEdges.Edges = []Edge{}
	var head bytes.Buffer
	if err := printer.Report(&head, printer.FormatJSON, withoutEdges); err != nil {
		return err
	}
	if len(edges) == 0 {
		_, err := head.WriteTo(w)
		return err
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s[", bytes.TrimSuffix(head.Bytes(), []byte(noEdges)))
	var one bytes.Buffer
	encoder := json.NewEncoder(&one)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("    ", "  ")
	for i := range edges {
		one.Reset()
		if err := encoder.Encode(edges[i]); err != nil {
			return fmt.Errorf("writing an edge as JSON: %w", err)
		}
		if i > 0 {
			fmt.Fprint(out, ",")
		}
		if _, err := fmt.Fprintf(out, "\n    %s", bytes.TrimSpace(printer.EscapeHidden(one.Bytes()))); err != nil {
			return err // for example, the reader has gone; without this, the loop would continue
		}
	}
	fmt.Fprint(out, "\n  ]\n}\n")
	return out.Flush()
}
