package environment

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"
)

// AnotherOptions are the options of Another, for a manager in addition to the environment's.
type AnotherOptions struct {
	// Name is the file name of the program. The manager's user agent in the audit log begins with it. Required.
	Name string
	// InFront is like Options.InFront. If it is nil, the manager connects to the API server directly.
	InFront func(admin *rest.Config) (*rest.Config, error)
	// Pod is the manager's pod; nil if the manager runs outside of a pod. If a manager in a pod is killed and started again, it counts as a
	// restarted container of the pod.
	Pod *Pod
	// Args are additional arguments for the manager.
	Args []string
}

// Another returns one more manager with the same program and ServiceAccount, and does not start it. The new manager has its own folder,
// address and token; the token is renewed until ctx ends. It takes part in leader election. The environment's manager does so only with
// Options.AsShipped; without it, stop that manager before you start the new one. The caller starts and stops the new manager.
func (e *Environment) Another(ctx context.Context, options AnotherOptions) (*Manager, error) {
	dir := filepath.Join(e.Dir, options.Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("making a folder for manager %q: %w", options.Name, err)
	}
	program, err := filepath.Abs(e.binary)
	if err != nil {
		return nil, fmt.Errorf("locating the manager's program: %w", err)
	}
	binary := filepath.Join(dir, options.Name)
	if err := os.RemoveAll(binary); err != nil {
		return nil, fmt.Errorf("naming a program %q: %w", options.Name, err)
	}
	if err := os.Symlink(program, binary); err != nil {
		return nil, fmt.Errorf("naming a program %q: %w", options.Name, err)
	}
	server := e.Admin
	if options.InFront != nil {
		if server, err = options.InFront(e.Admin); err != nil {
			return nil, fmt.Errorf("putting something between manager %q and the API server: %w", options.Name, err)
		}
	}
	kubeconfig, err := writeIdentity(ctx, e.Admin, server, dir)
	if err != nil {
		return nil, err
	}
	manager, err := newManager(binary, kubeconfig, dir, e.Catalog.CAFile(), append([]string{"--leader-elect=true"}, options.Args...))
	if err != nil {
		return nil, err
	}
	manager.env = e.shipped
	if options.Pod == nil {
		return manager, nil
	}
	if err := os.MkdirAll(options.Pod.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("making the volume of pod %q: %w", options.Pod.Name, err)
	}
	manager.inPod(*options.Pod)
	return manager, nil
}

// ManagerBinary returns the path of the manager's program, for its commands that run without a cluster.
func (e *Environment) ManagerBinary() (string, error) { return filepath.Abs(e.binary) }
