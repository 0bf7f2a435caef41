// Package process starts and stops the programs of a cluster so that they end with this process. The kernel kills children when their
// parent ends, a process can watch for the end of its own parent, and a lock shows whether a process runs. The package works on Linux only.
package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"
)

// Spec describes a program to start.
type Spec struct {
	Name string // for messages
	Path string
	Args []string // without the program's name
	Env  []string
	Log  string // file that receives stdout and stderr, truncated at start
}

// Child is a started program.
type Child struct {
	Spec Spec
	PID  int

	done chan struct{}
	err  error // guarded by done: set before it is closed
}

// Done returns a channel that is closed when the program has ended.
func (c *Child) Done() <-chan struct{} { return c.done }

// Err returns the error with which the program ended, or nil if it exited with code 0. Call it after Done's channel is closed.
func (c *Child) Err() error { return c.err }

// Keeper starts children and stops them in reverse order.
type Keeper struct {
	requests chan startRequest

	lock     sync.Mutex
	children []*Child // guarded by lock
}

type startRequest struct {
	cmd  *exec.Cmd
	done chan error
}

// NewKeeper returns a Keeper, and starts the thread that becomes the parent of all its children. The kernel sends a parent-death signal
// when the thread that forked ends, and Go may end threads at any time. Therefore one goroutine is locked to a thread.
func NewKeeper() *Keeper {
	k := &Keeper{requests: make(chan startRequest)}
	go func() {
		runtime.LockOSThread()
		for request := range k.requests {
			request.done <- request.cmd.Start()
		}
	}()
	return k
}

// Start starts a program. The kernel kills it when this process ends.
func (k *Keeper) Start(spec Spec) (*Child, error) {
	log, err := os.OpenFile(spec.Log, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the log of %s: %w", spec.Name, err)
	}
	defer log.Close()
	cmd := exec.Command(spec.Path, spec.Args...)
	cmd.Env = spec.Env
	cmd.Stdout, cmd.Stderr = log, log
	// Each child has its own process group, so that Ctrl-C does not reach it. The keeper stops the children in order.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	request := startRequest{cmd: cmd, done: make(chan error)}
	k.requests <- request
	if err := <-request.done; err != nil {
		return nil, fmt.Errorf("starting %s: %w", spec.Name, err)
	}
	child := &Child{Spec: spec, PID: cmd.Process.Pid, done: make(chan struct{})}
	go func() {
		child.err = cmd.Wait()
		close(child.done)
	}()
	k.lock.Lock()
	defer k.lock.Unlock()
	k.children = append(k.children, child)
	return child, nil
}

// Children returns the children in the order of their start.
func (k *Keeper) Children() []*Child {
	k.lock.Lock()
	defer k.lock.Unlock()
	return slices.Clone(k.children)
}

// Stop stops all children in reverse order. It sends SIGTERM to each, and SIGKILL after grace. The keeper can start new children
// afterwards.
func (k *Keeper) Stop(grace time.Duration) error {
	k.lock.Lock()
	children := k.children
	k.children = nil
	k.lock.Unlock()
	var errs []error
	slices.Reverse(children)
	for _, child := range children {
		if err := stop(child, grace); err != nil {
			errs = append(errs, fmt.Errorf("ending %s (process %d): %w", child.Spec.Name, child.PID, err))
		}
	}
	return errors.Join(errs...)
}

func stop(child *Child, grace time.Duration) error {
	timer := time.NewTimer(grace)
	defer timer.Stop()
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		select {
		case <-child.done:
			return nil
		default:
		}
		// The child is reaped before done is closed, so the process may be gone between the check and here.
		if err := syscall.Kill(child.PID, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
		select {
		case <-child.done:
			return nil
		case <-timer.C:
			timer.Reset(grace)
		}
	}
	return errors.New("still there after SIGKILL")
}
