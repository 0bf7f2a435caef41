package leaderelection

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// ErrLocked is the error that LockFile wraps if another process holds the lock.
var ErrLocked = errors.New("another process holds the lock")

// LockFile locks a file until the returned file is closed or the process ends for any reason. It creates the file if it does not exist. It
// does not wait: if another process holds the lock, the error wraps ErrLocked. The file remains after the lock is released; an existing
// file that is not locked has no effect.
func LockFile(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening lock file %q: %w", path, err)
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = ErrLocked
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("locking file %q: %w", path, err)
	}
	return file, nil
}
