package declaredresources

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/openshift/multi-operator-manager/pkg/library/libraryinputresources"
	"github.com/openshift/multi-operator-manager/pkg/library/libraryoutputresources"
)

// command is a command of multi-operator-manager, with the additional flag --input-dir.
type command struct {
	inputDir string
	declared *Declaration
	streams  genericiooptions.IOStreams
}

// NewInputResourcesCommand returns multi-operator-manager's command input-resources, with the additional flag --input-dir.
func NewInputResourcesCommand(streams genericiooptions.IOStreams) *cobra.Command {
	c := &command{streams: streams}
	made := c.complete(libraryinputresources.NewInputResourcesCommand(c.inputs, c.outputs, streams))
	made.Short = "List the objects that apply-configuration reads"
	made.Long = `List the objects that apply-configuration reads and writes, in the format of OpenShift Manager (multi-operator-manager).

The names of operators' objects are not known in advance. With --input-dir, the list also has the objects of the operators in the directory:
those of stored revisions, and those of bundles in folder "content". It is then complete for apply-configuration with that directory. If
something is missing, comments at the beginning of the list name it.`
	made.Example = `  # List the objects that do not depend on installed operators
  platform-operators input-resources

  # List all objects that apply-configuration reads from a directory
  platform-operators input-resources --input-dir INPUT`
	return made
}

// NewOutputResourcesCommand returns multi-operator-manager's command output-resources, with the additional flag --input-dir.
func NewOutputResourcesCommand(streams genericiooptions.IOStreams) *cobra.Command {
	c := &command{streams: streams}
	made := c.complete(libraryoutputresources.NewOutputResourcesCommand(c.outputs, streams))
	made.Short = "List the objects that apply-configuration writes"
	made.Long = `List the objects that apply-configuration writes, in the format of OpenShift Manager (multi-operator-manager). All of them are in the list
of the configuration cluster. On a standalone cluster, there is no other cluster.

The names of operators' objects are not known in advance. With --input-dir, the list also has the objects of the operators in the directory:
those of stored revisions, and those of bundles in folder "content". It is then complete for apply-configuration with that directory. If
something is missing, comments at the beginning of the list name it.`
	made.Example = `  # List the objects that do not depend on installed operators
  platform-operators output-resources

  # List all objects that apply-configuration writes for a directory
  platform-operators output-resources --input-dir INPUT`
	return made
}

// complete adds the flag --input-dir. It reads the directory before the command of multi-operator-manager runs, because that command cannot
// handle an error.
func (c *command) complete(made *cobra.Command) *cobra.Command {
	made.Args = cobra.NoArgs
	made.Flags().StringVar(&c.inputDir, "input-dir", "", "directory with the objects of a cluster, as for apply-configuration (default: none)")
	made.PreRunE = func(made *cobra.Command, _ []string) error {
		c.declared = Static()
		if made.Flags().Changed("input-dir") {
			var err error
			if c.declared, err = FromDirectory(made.Context(), c.inputDir); err != nil {
				return err
			}
		}
		for _, each := range c.declared.Notes() {
			if _, err := fmt.Fprintf(c.streams.Out, "# %s\n", each); err != nil {
				return fmt.Errorf("writing the list: %w", err)
			}
		}
		return nil
	}
	return made
}

func (c *command) inputs(context.Context) (*libraryinputresources.InputResources, error) {
	return c.declared.Inputs(), nil
}

func (c *command) outputs(context.Context) (*libraryoutputresources.OutputResources, error) {
	return c.declared.Outputs(), nil
}
