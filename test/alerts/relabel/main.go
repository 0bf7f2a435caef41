// Command relabel prints the series of a scrape that Prometheus keeps after the metricRelabelings of a ServiceMonitor, one per line. It
// uses Prometheus' own parser and relabeling. test/integration passes the manager's metrics to it on the standard input.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "relabeling:", err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) error {
	if len(args) != 1 {
		return fmt.Errorf("expected the file of a ServiceMonitor, and a scrape on the standard input; got %q", args)
	}
	manifest, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	scrape, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("reading the scrape: %w", err)
	}
	rules, err := relabelings(manifest)
	if err != nil {
		return fmt.Errorf("reading %s: %w", args[0], err)
	}
	kept, err := keep(rules, scrape)
	if err != nil {
		return err
	}
	for _, series := range kept {
		if _, err := fmt.Fprintln(out, series); err != nil {
			return err
		}
	}
	return nil
}
