package environment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// cluster is a local cluster that runs as a child process: its servers are a Go module of their own, test/localcluster,
// and never enter this one.
type cluster struct {
	// What `up -o json` prints once the cluster is ready.
	Kubeconfig        string `json:"kubeconfig"`
	Kubectl           string `json:"kubectl"`
	KubernetesVersion string `json:"kubernetesVersion"`
	AuditLog          string `json:"auditLog"`
	ServicesSocket    string `json:"servicesSocket"`
	SupervisorPID     int    `json:"supervisorPID"`

	root, dir, temp string
	log             io.Writer
	exited          chan struct{}
}

// startCluster starts a cluster in dir and returns when it is ready. The first one on a machine compiles Kubernetes, which
// the launcher's own progress lines tell about.
func startCluster(ctx context.Context, root, dir string, options Options, log io.Writer) (*cluster, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("locating the cluster's folder: %w", err)
	}
	temp, err := goTemp(filepath.Dir(dir))
	if err != nil {
		return nil, err
	}
	c := &cluster{root: root, dir: dir, temp: temp, log: log, exited: make(chan struct{})}
	args := []string{"up", "--dir", dir, "--foreground", "-o", "json", "--openshift-version", options.OpenShiftVersion}
	if options.AuditLog {
		args = append(args, "--audit")
	}
	if options.Services {
		args = append(args, "--services-socket", filepath.Join(filepath.Dir(dir), "services.sock"))
	}
	up := c.launcher(ctx, args...)
	up.Cancel = func() error { return up.Process.Signal(syscall.SIGTERM) }
	up.WaitDelay = 20 * time.Second
	up.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	output, err := up.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("starting the local cluster: %w", err)
	}
	started := make(chan error, 1)
	ready := make(chan error, 1)
	go func() {
		// Pdeathsig is sent when the thread that forked ends, so the thread lives as long as the cluster.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := up.Start()
		started <- err
		if err != nil {
			return
		}
		ready <- json.NewDecoder(output).Decode(c)
		_ = up.Wait() // how it ended is in its own logs; that it ended is what stop waits for
		close(c.exited)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("starting the local cluster: %w", err)
	}
	if err := <-ready; err != nil {
		return nil, fmt.Errorf("waiting for the local cluster (its logs are in %q): %w", filepath.Join(dir, "logs"), err)
	}
	return c, nil
}

func (c *cluster) launcher(ctx context.Context, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, "go", append([]string{"run", "."}, args...)...)
	command.Dir = filepath.Join(c.root, "test", "localcluster")
	command.Env = append(command.Environ(), "GOFLAGS=-mod=readonly -trimpath -buildvcs=false", // that module is not vendored, whatever the caller builds with
		"GOTMPDIR="+c.temp) // "go run" ends without tidying up when it is told to by SIGTERM
	command.Stderr = c.log
	return command
}

// setVersion moves the ClusterVersion to another version, as a completed update.
func (c *cluster) setVersion(ctx context.Context, version string) error {
	command := c.launcher(ctx, "set-version", version, "--dir", c.dir)
	if output, err := command.Output(); err != nil {
		return fmt.Errorf("setting the cluster's version to %s: %w: %s", version, err, output)
	}
	return nil
}

// stop takes the cluster down and waits until nothing of it runs.
func (c *cluster) stop() error {
	if err := syscall.Kill(c.SupervisorPID, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("stopping the local cluster: %w", err)
	}
	select {
	case <-c.exited:
		return nil
	case <-time.After(30 * time.Second):
		return fmt.Errorf("stopping the local cluster: process %d did not end within 30 s", c.SupervisorPID)
	}
}
