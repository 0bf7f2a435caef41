package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
)

// ErrLocked is the error that TryLock returns if another process, or another Lock in this process, holds the lock.
var ErrLocked = errors.New("held by another process")

// Lock is an advisory lock on a file. The kernel releases it when the process that holds it ends, so that it is more reliable than a stored
// process ID.
type Lock struct{ file *os.File }

// TryLock locks the file at path, which it creates if necessary. It returns ErrLocked if the lock is held. The caller must call Release.
func TryLock(path string) (*Lock, error) {
	file, err := open(path)
	if err != nil {
		return nil, err
	}
	return lock(file, syscall.LOCK_EX|syscall.LOCK_NB)
}

// WaitLock locks the file at path, which it creates if necessary. It waits until the lock is free, or returns the context's error. The
// caller must call Release.
func WaitLock(ctx context.Context, path string) (*Lock, error) {
	file, err := open(path)
	if err != nil {
		return nil, err
	}
	type result struct {
		lock *Lock
		err  error
	}
	got := make(chan result, 1)
	go func() {
		l, err := lock(file, syscall.LOCK_EX)
		got <- result{l, err}
	}()
	select {
	case r := <-got:
		return r.lock, r.err
	case <-ctx.Done():
		// The blocked call cannot be canceled. If it gets the lock later, the lock is released at once.
		go func() {
			if r := <-got; r.err == nil {
				r.lock.Release()
			}
		}()
		return nil, fmt.Errorf("waiting for %q: %w", path, ctx.Err())
	}
}

func open(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) }

// lock locks a file with flock(2); how is the operation. If that fails, it closes the file and returns an error.
func lock(file *os.File, how int) (*Lock, error) {
	var err error
	for {
		err = syscall.Flock(int(file.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("locking %q: %w", file.Name(), ErrLocked)
		}
		return nil, fmt.Errorf("locking %q: %w", file.Name(), err)
	}
	return &Lock{file: file}, nil
}

// Release releases the lock. It does not delete the file, because two processes could then lock different files at the same path.
func (l *Lock) Release() { l.file.Close() }
