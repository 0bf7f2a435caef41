package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/openshift/platform-operators/test/localcluster/furniture"
	"github.com/openshift/platform-operators/test/localcluster/process"
)

// State describes a running cluster. It is the content of ready.json and the output of status.
type State struct {
	Running           bool      `json:"running"` // always true in ready.json
	Dir               string    `json:"dir"`
	Server            string    `json:"server"`
	Kubeconfig        string    `json:"kubeconfig"`
	Kubectl           string    `json:"kubectl"`            // script that runs kubectl for this cluster
	AuditLog          string    `json:"auditLog,omitempty"` // empty without an audit log
	ServicesSocket    string    `json:"servicesSocket,omitempty"`
	OpenShiftVersion  string    `json:"openshiftVersion"` // in ready.json, the version at the start; from Status, the current version
	KubernetesVersion string    `json:"kubernetesVersion"`
	SupervisorPID     int       `json:"supervisorPID"` // after SIGTERM it stops the cluster and keeps the data
	StartedAt         time.Time `json:"startedAt"`
	ReadyAfterSeconds float64   `json:"readyAfterSeconds"`
	Processes         []Process `json:"processes"`
}

// Process is a running program of the cluster.
type Process struct {
	Name   string `json:"name"`
	PID    int    `json:"pid"`
	Binary string `json:"binary"`
	Log    string `json:"log"`
}

// write writes the state to the file at path. It replaces the file atomically, because other processes wait for it.
func (s State) write(path string) error {
	content, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("writing the cluster's state: %w", err)
	}
	partial := path + ".partial"
	if err := os.WriteFile(partial, append(content, '\n'), 0o600); err != nil {
		return fmt.Errorf("writing the cluster's state: %w", err)
	}
	if err := os.Rename(partial, path); err != nil {
		return fmt.Errorf("writing the cluster's state: %w", err)
	}
	return nil
}

func readState(path string) (State, error) {
	var state State
	content, err := os.ReadFile(path)
	if err != nil {
		return state, err
	}
	if err := json.Unmarshal(content, &state); err != nil {
		return state, fmt.Errorf("reading the cluster's state in %q: %w", path, err)
	}
	return state, nil
}

// running reports whether a supervisor holds the cluster's lock. The existence of ready.json proves nothing, because a killed supervisor
// leaves the file behind.
func (l Layout) running() (bool, error) {
	if _, err := os.Stat(l.lockFile()); errors.Is(err, fs.ErrNotExist) {
		return false, nil // TryLock would create the file in a folder that has no cluster
	}
	lock, err := process.TryLock(l.lockFile())
	if errors.Is(err, process.ErrLocked) {
		return true, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	lock.Release()
	return false, nil
}

// Status returns the state of the cluster in dir, with the current OpenShift version. If the cluster is not ready or does not exist, only
// Dir is set and Running is false.
func Status(ctx context.Context, dir string) (State, error) {
	layout := Layout{dir}
	down := State{Dir: dir}
	running, err := layout.running()
	if err != nil || !running {
		return down, err
	}
	state, err := readState(layout.Ready())
	if errors.Is(err, fs.ErrNotExist) {
		return down, nil
	}
	if err != nil {
		return down, err
	}
	client, err := layout.client(state.Server)
	if err != nil {
		return state, err
	}
	live, err := client.Get(ctx, path(clusterVersionKind, "version"))
	if err != nil {
		return state, fmt.Errorf("asking the cluster in %q for its version: %w", dir, err)
	}
	state.OpenShiftVersion = desiredVersion(live)
	return state, nil
}

// SetVersion changes the OpenShift version of the running cluster in dir, as a completed update does. It changes feature gates first,
// because operators read the gates of the version that the ClusterVersion has. It returns an error if the cluster is not ready.
func SetVersion(ctx context.Context, dir, version string, now time.Time) error {
	if err := furniture.CheckVersion(version); err != nil {
		return err
	}
	state, err := Status(ctx, dir)
	if err != nil {
		return err
	}
	if !state.Running {
		return fmt.Errorf("moving the cluster in %q to %s: it is not up; start it with: localcluster up --dir %s", dir, version, dir)
	}
	client, err := Layout{dir}.client(state.Server)
	if err != nil {
		return err
	}
	return moveVersion(ctx, client, version, now)
}

// Down stops the cluster in dir and removes the directory unless keep is set. It returns nil if dir does not exist, and an error if dir is
// not the directory of a cluster.
func Down(ctx context.Context, dir string, keep bool) error {
	layout := Layout{dir}
	if err := layout.owned(); err != nil {
		if _, statErr := os.Stat(dir); errors.Is(statErr, fs.ErrNotExist) {
			return nil
		}
		return fmt.Errorf("taking down the cluster in %q: %w; nothing is removed from a directory that is no cluster's", dir, err)
	}
	running, err := layout.running()
	if err != nil {
		return err
	}
	if running {
		pid, err := layout.supervisor()
		if err != nil {
			return err
		}
		if err := process.Terminate(ctx, pid, stopTimeout); err != nil {
			return fmt.Errorf("taking down the cluster in %q: %w", dir, err)
		}
	}
	if keep {
		return nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("removing the cluster's directory: %w", err)
	}
	return nil
}

// supervisor returns the supervisor's process ID. The supervisor writes the ID before it starts programs, so that Down can end a cluster
// that hangs during its start. The ID is valid only while the lock is held.
func (l Layout) supervisor() (int, error) {
	content, err := os.ReadFile(l.path("supervisor.pid"))
	if err != nil {
		return 0, fmt.Errorf("reading who supervises the cluster: %w", err)
	}
	var pid int
	if _, err := fmt.Sscan(string(content), &pid); err != nil || pid <= 1 {
		return 0, fmt.Errorf("reading who supervises the cluster: %q is no process id", content)
	}
	return pid, nil
}

func (l Layout) writeSupervisor(pid int) error {
	if err := os.WriteFile(l.path("supervisor.pid"), fmt.Appendln(nil, pid), 0o600); err != nil {
		return fmt.Errorf("writing who supervises the cluster: %w", err)
	}
	return nil
}
