package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
)

// ErrLocked means that another process holds the lock.
var ErrLocked = errors.New("held by another process")

// Lock is an advisory lock on a file. The kernel releases it when its holder ends, so that it is more reliable than a stored
// process id.
type Lock struct{ file *os.File }

// TryLock locks the file at path, which it creates if necessary. It returns ErrLocked if another process holds the lock.
func TryLock(path string) (*Lock, error) {
	file, err := open(path)
	if err != nil {
		return nil, err
	}
	return lock(file, syscall.LOCK_EX|syscall.LOCK_NB)
}

// WaitLock waits for the lock on path, or returns the context's error. It creates no file after it has returned.
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
		// The blocked call cannot be canceled. When it gets the lock, it releases it.
		go func() {
			if r := <-got; r.err == nil {
				r.lock.Release()
			}
		}()
		return nil, fmt.Errorf("waiting for %q: %w", path, ctx.Err())
	}
}

func open(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) }

// lock locks a file, and closes it on failure.
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

// Release releases the lock. It keeps the file, because processes could otherwise lock different files with the same name.
func (l *Lock) Release() { l.file.Close() }
