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

// cluster is a local cluster that runs as a child process. Its servers are in a separate Go module, test/localcluster, so that the main
// module does not depend on them.
type cluster struct {
	// The fields with JSON names are the output of "up -o json", which is printed once the cluster is ready.
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

// startCluster starts a cluster in dir and returns when it is ready. The cluster stops when ctx ends. The first start on a machine compiles
// Kubernetes; the launcher writes its progress to log.
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
		// The kernel sends Pdeathsig when the thread that forked ends, so that thread must live as long as the cluster.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := up.Start()
		started <- err
		if err != nil {
			return
		}
		ready <- json.NewDecoder(output).Decode(c)
		_ = up.Wait() // the error is in the cluster's logs; stop only waits for the end
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
	command.Env = append(command.Environ(), "GOFLAGS=-mod=readonly -trimpath -buildvcs=false", // because that module has no vendor folder, whatever flags the caller builds with
		"GOTMPDIR="+c.temp) // "go run" leaves its temporary files behind after SIGTERM
	command.Stderr = c.log
	return command
}

// setVersion sets the ClusterVersion to another version, as if an update had completed.
func (c *cluster) setVersion(ctx context.Context, version string) error {
	command := c.launcher(ctx, "set-version", version, "--dir", c.dir)
	if output, err := command.Output(); err != nil {
		return fmt.Errorf("setting the cluster's version to %s: %w: %s", version, err, output)
	}
	return nil
}

// stop stops the cluster and waits until its process has ended. It returns an error after 30 seconds.
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
