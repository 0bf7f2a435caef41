package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
)

// ErrLocked says that another process holds the lock.
var ErrLocked = errors.New("held by another process")

// Lock is an advisory lock on a file. The kernel releases it when its holder dies, however it dies, which makes it a
// better answer to "is it running" than a process id that may have been given to somebody else.
type Lock struct{ file *os.File }

// TryLock takes the lock on path, creating the file, or returns ErrLocked at once.
func TryLock(path string) (*Lock, error) {
	file, err := open(path)
	if err != nil {
		return nil, err
	}
	return lock(file, syscall.LOCK_EX|syscall.LOCK_NB)
}

// WaitLock takes the lock on path as soon as nobody else holds it, or returns the context's error. It creates no file after it returned.
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
		// The blocked call cannot be taken back; whoever it wakes up for gives the lock straight on.
		go func() {
			if r := <-got; r.err == nil {
				r.lock.Release()
			}
		}()
		return nil, fmt.Errorf("waiting for %q: %w", path, ctx.Err())
	}
}

func open(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) }

// lock locks a file, and closes it if that fails.
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

// Release gives the lock back. The file stays: removing it would let two processes lock two files of one name.
func (l *Lock) Release() { l.file.Close() }
