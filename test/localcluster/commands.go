package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/openshift/platform-operators/test/localcluster/cluster"
	"github.com/openshift/platform-operators/test/localcluster/furniture"
)

func downCommand(s streams) *cobra.Command {
	var keep bool
	cmd := &cobra.Command{
		Use:   "down",
		Short: "Stop a cluster and remove its directory",
		Long: `down ends every program of the cluster and removes its directory, logs included. A cluster that does not exist is
down already, which is no error. With --keep the directory stays, and "up" starts the same cluster again.`,
		Example: `  localcluster down --dir /tmp/c1`,
		Args:    cobra.NoArgs,
	}
	dir := dirFlag(cmd)
	cmd.Flags().BoolVar(&keep, "keep", false, "leave the directory, so that the cluster can be started again or its logs read")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		path, err := dir()
		if err != nil {
			return err
		}
		if err := cluster.Down(cmd.Context(), path, keep); err != nil {
			return err
		}
		fmt.Fprintf(s.progress, "down: %s\n", path)
		return nil
	}
	return cmd
}

func statusCommand(s streams) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Tell whether a cluster is up, where it listens, and which processes it has",
		Long: `status describes the cluster in a directory and exits with 0 whether it is up or not; "running" in the JSON form
says which. A cluster that is still starting is not up.`,
		Example: `  localcluster status --dir /tmp/c1
  localcluster status --dir /tmp/c1 -o json`,
		Args: cobra.NoArgs,
	}
	dir := dirFlag(cmd)
	cmd.Flags().StringVarP(&output, "output", "o", "", `"json" prints one JSON object`)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := checkOutput(output); err != nil {
			return err
		}
		path, err := dir()
		if err != nil {
			return err
		}
		state, err := cluster.Status(cmd.Context(), path)
		if err != nil {
			return err
		}
		return printState(s.out, state, output)
	}
	return cmd
}

func setVersionCommand(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "set-version X.Y.Z",
		Short: "Move a running cluster to another OpenShift version",
		Long: `set-version writes what a finished update leaves behind: the version in ClusterVersion/version's status.desired, a
completed entry on top of its history, and the version's list in FeatureGate/cluster's status. Kubernetes stays as it is.`,
		Example: `  localcluster set-version 4.22.0 --dir /tmp/c1`,
		Args:    cobra.ExactArgs(1),
	}
	dir := dirFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		path, err := dir()
		if err != nil {
			return err
		}
		if err := cluster.SetVersion(cmd.Context(), path, args[0], time.Now()); err != nil {
			return err
		}
		fmt.Fprintf(s.progress, "cluster version is now %s\n", args[0])
		return nil
	}
	return cmd
}

func buildCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "build",
		Short: "Compile what a cluster needs, and start none",
		Long: `build compiles the programs KUBEBUILDER_ASSETS does not have and fetches the manifests, into the cache directory, and
prints where. "up" does the same when it has to; build is for doing it earlier.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, manifests, err := provide(cmd.Context(), os.Getenv("KUBEBUILDER_ASSETS"), s.progress)
			if err != nil {
				return err
			}
			cache, err := openCache(s.progress)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(s.out, "Kubernetes %s: %s (manifests: %s)\n", cache.Version(), cache.Dir(), manifests)
			return err
		},
	}
}

func objectsCommand(s streams) *cobra.Command {
	values := furniture.Values{}
	cmd := &cobra.Command{
		Use:   "objects",
		Short: "Print the objects of a cluster, and start none",
		Long: `objects prints, as one JSON List, what "up" creates in an empty cluster so that it looks like OpenShift: the
CustomResourceDefinitions of OpenShift and OLM, and then the objects in an order in which they can be created. Where an
object has a status, it has to be written by itself. Stories in memory begin with these objects.`,
		Example: `  go run -C test/localcluster . objects > objects.json
  go run -C test/localcluster . objects --openshift-version 4.20.3 --workers 3`,
		Args: cobra.NoArgs,
	}
	flags := cmd.Flags()
	flags.StringVar(&values.Version, "openshift-version", "4.21.0", "version ClusterVersion/version reports")
	flags.StringVar(&values.Now, "now", "2000-01-01T00:00:00Z", "when that version was installed, as RFC 3339 has it")
	flags.StringVar(&values.Server, "server", "https://kubernetes.default.svc", "URL of the API server in Infrastructure/cluster")
	flags.StringVar(&values.ClusterID, "cluster-id", "8e9b5a6e-0f4c-4f0b-8f5e-3f0d5a0f1c11", "the UUID in ClusterVersion/version")
	flags.IntVar(&values.Workers, "workers", 1, "worker nodes, beside the one control plane node")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := furniture.CheckVersion(values.Version); err != nil {
			return err
		}
		cache, err := openCache(s.progress)
		if err != nil {
			return err
		}
		manifests, err := cache.Manifests(cmd.Context())
		if err != nil {
			return err
		}
		list, err := furniture.CRDs(manifests)
		if err != nil {
			return err
		}
		objects, err := furniture.Objects(manifests, values)
		if err != nil {
			return err
		}
		encoder := json.NewEncoder(s.out)
		encoder.SetIndent("", " ")
		return encoder.Encode(map[string]any{"apiVersion": "v1", "kind": "List", "items": append(list, objects...)})
	}
	return cmd
}

func checkOutput(output string) error {
	if output != "" && output != "json" {
		return fmt.Errorf("reading --output %q: only json is known", output)
	}
	return nil
}

func printState(out io.Writer, state cluster.State, output string) error {
	if output == "json" {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(state)
	}
	if !state.Running {
		_, err := fmt.Fprintf(out, "no cluster is up in %s\nstart one with: localcluster up --dir %s\n", state.Dir, state.Dir)
		return err
	}
	table := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintf(table, "Cluster\t%s (up since %s, ready after %.1fs)\n", state.Dir, state.StartedAt.Format(time.RFC3339), state.ReadyAfterSeconds)
	fmt.Fprintf(table, "Versions\tOpenShift %s, Kubernetes %s\n", state.OpenShiftVersion, state.KubernetesVersion)
	fmt.Fprintf(table, "Server\t%s\n", state.Server)
	fmt.Fprintf(table, "Use it\t%s get nodes\n", state.Kubectl)
	fmt.Fprintf(table, "Kubeconfig\t%s\n", state.Kubeconfig)
	if state.AuditLog != "" {
		fmt.Fprintf(table, "Audit log\t%s\n", state.AuditLog)
	}
	fmt.Fprintf(table, "Supervisor\tprocess %d\n", state.SupervisorPID)
	for _, p := range state.Processes {
		fmt.Fprintf(table, "Process %d\t%s, log %s\n", p.PID, p.Name, p.Log)
	}
	fmt.Fprintf(table, "Stop it\tlocalcluster down --dir %s\n", state.Dir)
	return table.Flush()
}
