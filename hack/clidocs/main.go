// Command clidocs writes docs/cli/ from the commands of the plugin:
//
//	go run ./hack/clidocs          # "make update": write the pages
//	go run ./hack/clidocs -check   # "make verify": fail if a page is stale, and change nothing
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/openshift/platform-operators/pkg/cli"
	"github.com/openshift/platform-operators/pkg/cli/invocation"
)

const (
	folder = "docs/cli"
	header = "<!-- Code generated from pkg/cli by `make update`. DO NOT EDIT. -->\n\n"
)

func main() {
	check := flag.Bool("check", false, "fail if a page is stale, instead of writing the pages")
	flag.Parse()
	if err := run(folder, *check); err != nil {
		fmt.Fprintln(os.Stderr, "clidocs:", err)
		os.Exit(1)
	}
}

func run(folder string, check bool) error {
	pages, err := generate()
	if err != nil {
		return err
	}
	if check {
		return compare(folder, pages)
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, content := range pages {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generate returns the content of the pages, keyed by file name. It omits the commands that cobra adds, such as help and completion.
func generate() (map[string][]byte, error) {
	root := cli.NewCommand(invocation.New("kubectl-platform", genericiooptions.NewTestIOStreamsDiscard()))
	pages := map[string][]byte{}
	for _, command := range withSubcommands(root) {
		command.Long = fenced(command.Long)
		var page bytes.Buffer
		page.WriteString(header)
		if err := doc.GenMarkdown(command, &page); err != nil {
			return nil, fmt.Errorf("writing the page of %q: %w", command.CommandPath(), err)
		}
		pages[strings.ReplaceAll(command.CommandPath(), " ", "_")+".md"] = page.Bytes()
	}
	return pages, nil
}

// withSubcommands returns a command and all commands below it.
func withSubcommands(command *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{command}
	for _, below := range command.Commands() {
		all = append(all, withSubcommands(below)...)
	}
	return all
}

// fenced returns a text with its indented lines in a code block, because Markdown would otherwise join them.
func fenced(text string) string {
	var out strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		if indented := strings.HasPrefix(line, "  "); indented != inside {
			out.WriteString(map[bool]string{true: "\n```text\n", false: "```\n"}[indented])
			inside = indented
		}
		out.WriteString(line)
	}
	if inside {
		out.WriteString("\n```")
	}
	return out.String()
}

// compare returns an error for each page that is stale, missing or superfluous.
func compare(folder string, pages map[string][]byte) error {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	var stale []error
	for _, entry := range entries {
		if pages[entry.Name()] == nil {
			stale = append(stale, fmt.Errorf("%s belongs to no command; run 'make update' and commit it", filepath.Join(folder, entry.Name())))
		}
	}
	for name, want := range pages {
		path := filepath.Join(folder, name)
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			stale = append(stale, fmt.Errorf("%s is stale; run 'make update' and commit it", path))
		}
	}
	return errors.Join(stale...)
}
