package environment

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"
)

// AnotherOptions are the options of a manager besides the environment's.
type AnotherOptions struct {
	// Name is the name of the program, with which its user agent in the audit log begins. Required.
	Name string
	// InFront is as in Options. If nil, the manager connects to the API server itself.
	InFront func(admin *rest.Config) (*rest.Config, error)
	// Pod is the manager's pod; nil if it runs outside of a pod. To start a killed manager again is to restart its container.
	Pod *Pod
	// Args are additional arguments.
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
