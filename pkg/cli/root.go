// Package cli is the plugin "kubectl platform" and "oc platform": it builds the root command, runs it, and turns its result into an exit
// code. Each command is a subpackage with Options (Validate, Complete, Run), a report that is a pure function of API objects and catalogs,
// and the printers for the report. The package and the commands do not import controllers. Only the command approve writes to the
// cluster. cmd/kubectl-platform and hack/clidocs call it.
package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/openshift/platform-operators/pkg/cli/approve"
	"github.com/openshift/platform-operators/pkg/cli/catalog"
	"github.com/openshift/platform-operators/pkg/cli/explain"
	"github.com/openshift/platform-operators/pkg/cli/graph"
	"github.com/openshift/platform-operators/pkg/cli/invocation"
	"github.com/openshift/platform-operators/pkg/cli/list"
	"github.com/openshift/platform-operators/pkg/cli/search"
	"github.com/openshift/platform-operators/pkg/cli/status"
	"github.com/openshift/platform-operators/pkg/cli/updates"
	"github.com/openshift/platform-operators/pkg/version"
)

// The groups of commands in the help.
const (
	groupCatalogs  = "catalogs"
	groupInstalled = "installed"
	groupUpgrades  = "upgrades"
	groupAuthors   = "authors"
	groupPlugin    = "plugin"
)

// NewCommand returns the root command for an invocation, with all commands.
func NewCommand(i *invocation.Invocation) *cobra.Command {
	root := &cobra.Command{
		// Completion scripts use the first word as the name of the program.
		Use:   strings.ReplaceAll(i.Name, " ", "-"),
		Short: "Find operators, see their state, and understand what blocks upgrades",
		Long: `Find the operators that the catalogs of a cluster offer, see what is installed, healthy, blocked, drifted and waiting, and
understand what blocks an upgrade and what permits it. Approve versions and plans. Check catalogs before they are published. Only the
command approve changes the cluster.

Reports go to standard output, and errors, warnings and progress to standard error. The output has no color.

Exit codes:
  0  the command did what was asked for
  1  something failed, for example because an object does not exist in the cluster, or may not be read or approved
  2  the command line is wrong: a command, flag or value is invalid, or names a file or content of a catalog that does not exist
  3  the answer is that the upgrade of the cluster, an operator, each of its updates or an approval is blocked
  4  the command did not finish within --timeout or --request-timeout
  5  content, such as a catalog, is invalid
  130  Ctrl-C or another signal ended the command`,
		Example: i.Examples(`
# What is there to install?
{{name}} search

# May the cluster be upgraded, and how are the operators?
{{name}} status

# What blocks the upgrade of the cluster, and what fixes it?
{{name}} explain upgrade

# What waits for an approval? Read it, and approve it
{{name}} approve quay

# Can a catalog be published?
{{name}} catalog lint ./catalog`),
		Version:           version.Get().GitVersion,
		Annotations:       map[string]string{cobra.CommandDisplayNameAnnotation: i.Name},
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		Args:              invocation.UnknownCommand,
		// UnknownCommand suggests commands within this distance. Cobra sets the default only for its own error.
		SuggestionsMinimumDistance: 2,
		RunE:                       func(command *cobra.Command, _ []string) error { return command.Help() },
	}
	root.SetIn(i.Streams.In)
	root.SetOut(i.Streams.Out)
	root.SetErr(i.Streams.ErrOut)
	root.SetFlagErrorFunc(invocation.UsageError)
	root.AddGroup(
		&cobra.Group{ID: groupCatalogs, Title: "Find operators:"},
		&cobra.Group{ID: groupInstalled, Title: "Look at installed operators:"},
		&cobra.Group{ID: groupUpgrades, Title: "Understand and approve upgrades:"},
		&cobra.Group{ID: groupAuthors, Title: "Publish operators:"},
		&cobra.Group{ID: groupPlugin, Title: "The plugin itself:"},
	)
	root.SetHelpCommandGroupID(groupPlugin)
	root.SetCompletionCommandGroupID(groupPlugin)
	i.AddFlags(root.PersistentFlags())
	addCommands(root, i)
	return root
}

// addCommands adds the commands to their groups.
func addCommands(root *cobra.Command, i *invocation.Invocation) {
	for _, each := range []struct {
		group   string
		command *cobra.Command
	}{
		{groupCatalogs, search.NewCommand(i)},
		{groupInstalled, list.NewCommand(i)},
		{groupInstalled, status.NewCommand(i)},
		{groupUpgrades, updates.NewCommand(i)},
		{groupUpgrades, graph.NewCommand(i)},
		{groupUpgrades, explain.NewCommand(i)},
		{groupUpgrades, approve.NewCommand(i)},
		{groupAuthors, catalog.NewCommand(i)},
	} {
		each.command.GroupID = each.group
		root.AddCommand(each.command)
	}
}
