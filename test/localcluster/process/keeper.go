// Package process starts and ends the programs of a cluster so that none outlives whoever wanted it: children die with
// their parent, the parent notices the death of its own, and a lock tells whether somebody is at home. It is Linux all
// through and knows nothing of Kubernetes. Packages cluster and binaries call it.
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

// Spec says what to start.
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

// Done is closed when the program has ended.
func (c *Child) Done() <-chan struct{} { return c.done }

// Err says how the program ended; call it after Done.
func (c *Child) Err() error { return c.err }

// Keeper starts children and ends them in reverse order.
type Keeper struct {
	requests chan startRequest

	lock     sync.Mutex
	children []*Child // guarded by lock
}

type startRequest struct {
	cmd  *exec.Cmd
	done chan error
}

// NewKeeper starts the thread that will be every child's parent. The kernel sends a parent-death signal when the
// *thread* that forked ends, and Go ends threads as it likes, so one goroutine keeps one thread for the life of the program.
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

// Start runs a program that is killed by the kernel when this process ends for whatever reason.
func (k *Keeper) Start(spec Spec) (*Child, error) {
	log, err := os.OpenFile(spec.Log, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the log of %s: %w", spec.Name, err)
	}
	defer log.Close()
	cmd := exec.Command(spec.Path, spec.Args...)
	cmd.Env = spec.Env
	cmd.Stdout, cmd.Stderr = log, log
	// A process group of its own keeps an interactive Ctrl-C away from the children: the keeper ends them in order.
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

// Children lists what was started, in order.
func (k *Keeper) Children() []*Child {
	k.lock.Lock()
	defer k.lock.Unlock()
	return slices.Clone(k.children)
}

// Stop ends every child, the last started first, giving each up to grace to end by itself; it returns when all are gone
// and can start others afterwards.
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
		// The child is not reaped before done is closed, or between the check and here at worst: then there is no such process.
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
