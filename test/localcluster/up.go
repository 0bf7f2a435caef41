package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/openshift/platform-operators/test/localcluster/cluster"
	"github.com/openshift/platform-operators/test/localcluster/process"
)

type upOptions struct {
	cluster    cluster.Options
	foreground bool
	parents    []int
	output     string
}

func upCommand(s streams) *cobra.Command {
	var o upOptions
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start a cluster and wait until it is ready",
		Long: `up starts a cluster and returns when it is ready for use: every CRD served, every node Ready, service accounts there.
The cluster then runs until "down", or until the process --parent-pid names ends. With --foreground, up itself stays,
and the cluster ends with it, with an interrupt, and with up's own parent (through "go run", with that one's parent too).
No program of a cluster outlives its supervisor, even one that is killed.

A directory whose cluster was stopped with "down --keep" is started again with everything that was in it.

Programs found in the directory KUBEBUILDER_ASSETS names are used; what is missing there is compiled. For scripts, the
file ready.json in the directory exists exactly while the cluster is ready, with what "status -o json" prints.

Pods become Ready at once, except those labelled localcluster.test/never-ready=true (Running, never Ready) and
pod-container-running-failed.stage.kwok.x-k8s.io=true (Failed after a second or two).`,
		Example: `  localcluster up --dir /tmp/c1
  localcluster up --dir /tmp/c2 --openshift-version 4.20.3 --audit
  localcluster up --dir "$(mktemp -d)" --foreground -o json`,
		Args: cobra.NoArgs,
	}
	dir := dirFlag(cmd)
	flags := cmd.Flags()
	flags.StringVar(&o.cluster.Version, "openshift-version", "4.21.0", "version ClusterVersion/version reports; a cluster that is started again keeps its own unless this is given")
	flags.IntVar(&o.cluster.Workers, "workers", 1, "simulated worker nodes, beside the one control plane node")
	flags.StringVar(&o.cluster.AuditLevel, "audit", "", "write audit.log into the directory: "+strings.Join(cluster.AuditLevels(), ", ")+" (--audit alone means Metadata)")
	flags.Lookup("audit").NoOptDefVal = "Metadata"
	flags.StringVar(&o.cluster.ServicesSocket, "services-socket", "", "have the API server call webhooks and aggregated APIs through an HTTP CONNECT proxy on this Unix socket, which you serve")
	flags.DurationVar(&o.cluster.Timeout, "timeout", defaultTimeout, "how long the start may take, compiling not counted")
	flags.BoolVar(&o.foreground, "foreground", false, "stay attached; the cluster ends with this process and with its parent")
	flags.IntSliceVar(&o.parents, "parent-pid", nil, "end the cluster when this process ends")
	flags.StringVarP(&o.output, "output", "o", "", `"json" prints what ready.json holds`)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := checkOutput(o.output); err != nil {
			return err
		}
		var err error
		if o.cluster.Dir, err = dir(); err != nil {
			return err
		}
		o.cluster.MoveVersion = flags.Changed("openshift-version")
		return up(cmd.Context(), o, s)
	}
	return cmd
}

func up(ctx context.Context, o upOptions, s streams) error {
	if o.foreground {
		o.parents = append(o.parents, process.Guardians()...)
	}
	ctx, cancel, err := endWith(ctx, o.parents)
	if err != nil {
		return err
	}
	defer cancel()
	programs, manifests, err := provide(ctx, os.Getenv("KUBEBUILDER_ASSETS"), s.progress)
	if err != nil {
		return err
	}
	o.cluster.Programs, o.cluster.Manifests = programs, manifests
	if o.foreground {
		return cluster.Run(ctx, o.cluster, s.progress, func(state cluster.State) {
			// The error is ignored, because a closed output must not stop the cluster.
			_ = printState(s.out, state, o.output)
		})
	}
	if err := detach(ctx, o, s.progress); err != nil {
		return err
	}
	state, err := cluster.Status(ctx, o.cluster.Dir)
	if err != nil {
		return err
	}
	return printState(s.out, state, o.output)
}

// endWith returns a context that is canceled when any of the processes ends. The caller must call the CancelFunc.
func endWith(ctx context.Context, pids []int) (context.Context, context.CancelFunc, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	for _, pid := range pids {
		exited, err := process.Exited(ctx, pid)
		if err != nil {
			cancel(nil)
			return nil, nil, err
		}
		go func() {
			select {
			case <-exited:
				cancel(fmt.Errorf("process %d, which the cluster belongs to, ended", pid))
			case <-ctx.Done():
			}
		}()
	}
	return ctx, func() { cancel(nil) }, nil
}

// detached holds the options that up passes to the supervisor, as JSON.
type detached struct {
	Options cluster.Options
	Parents []int
}

// detach starts this program again as the supervisor in its own session, and waits until the cluster is ready. The supervisor writes
// progress to its stdout, and closes it when the cluster is ready. The last line is readyWord, or failedWord and the error.
func detach(ctx context.Context, o upOptions, progress io.Writer) error {
	input, err := json.Marshal(detached{Options: o.cluster, Parents: o.parents})
	if err != nil {
		return err
	}
	layout := cluster.Layout{Dir: o.cluster.Dir}
	if err := layout.Claim(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(layout.Log("supervisor")), 0o700); err != nil {
		return fmt.Errorf("starting the supervisor: %w", err)
	}
	// Appending keeps the log of a running supervisor, which refuses a second start.
	log, err := os.OpenFile(layout.Log("supervisor"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("starting the supervisor: %w", err)
	}
	defer log.Close()
	// /proc/self/exe, because "go run" removes the program's file when the first process ends.
	supervisor := exec.Command("/proc/self/exe", "supervise")
	supervisor.Args[0] = "localcluster" // what ps shows
	supervisor.Stdin = strings.NewReader(string(input))
	supervisor.Stderr = log
	supervisor.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	report, err := supervisor.StdoutPipe()
	if err != nil {
		return fmt.Errorf("starting the supervisor: %w", err)
	}
	if err := supervisor.Start(); err != nil {
		return fmt.Errorf("starting the supervisor: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = supervisor.Process.Signal(syscall.SIGTERM) })
	defer stop()
	last := ""
	lines := bufio.NewScanner(report)
	for lines.Scan() {
		last = lines.Text()
		if last != readyWord && !strings.HasPrefix(last, failedWord) {
			fmt.Fprintln(progress, last)
		}
	}
	if last == readyWord {
		return nil
	}
	ended := supervisor.Wait()
	if why, told := strings.CutPrefix(last, failedWord); told {
		return errors.New(why)
	}
	return fmt.Errorf("waiting for the cluster in %q: its supervisor ended without saying why (%s); see %s", o.cluster.Dir, fmt.Sprint(ended), layout.Log("supervisor"))
}

const (
	readyWord  = "ready"
	failedWord = "failed: "
)

// superviseCommand returns the hidden command that detach runs.
func superviseCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "supervise",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var d detached
			if err := json.NewDecoder(os.Stdin).Decode(&d); err != nil {
				return fmt.Errorf("reading what to supervise: %w", err)
			}
			ctx, cancel, err := endWith(cmd.Context(), d.Parents)
			if err != nil {
				return err
			}
			defer cancel()
			report := os.Stdout
			err = cluster.Run(ctx, d.Options, report, func(cluster.State) {
				fmt.Fprintln(report, readyWord)
				report.Close()
			})
			if err != nil {
				// The error is on one line, because the reader takes the last line.
				fmt.Fprintln(report, failedWord+strings.Join(slices.DeleteFunc(strings.Split(err.Error(), "\n"), func(l string) bool { return l == "" }), "; "))
			}
			return err
		},
	}
}
