package environment

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"
)

// AnotherOptions say what distinguishes a manager from the environment's own.
type AnotherOptions struct {
	// Name is its program's, and with that how its user agent begins, which tells in the API server's log who asked. Required.
	Name string
	// InFront is as in Options; nil has the manager reach the API server itself.
	InFront func(admin *rest.Config) (*rest.Config, error)
	// Pod is the pod that the manager knows as its own; nil when it runs outside of a pod. A manager that is killed and started again
	// is a container that was started again in its pod.
	Pod *Pod
	// Args are given to it besides its own.
	Args []string
}

// Another makes one more manager, which is not started: of the same program and the same ServiceAccount, with a folder, an
// address and a token of its own, which is renewed until the context ends. It elects a leader, which the environment's own does
// not; that one has to be stopped first. Who starts it stops it.
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
