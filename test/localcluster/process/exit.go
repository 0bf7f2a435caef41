package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Exited returns a channel that is closed when process pid has ended, or at once if there is no such process. The process need not be a
// child. After ctx has ended, the channel may stay open.
func Exited(ctx context.Context, pid int) (<-chan struct{}, error) {
	exited := make(chan struct{})
	fd, err := unix.PidfdOpen(pid, 0)
	switch {
	case errors.Is(err, unix.ESRCH):
		close(exited)
		return exited, nil
	case err != nil:
		return nil, fmt.Errorf("watching process %d: %w", pid, err)
	}
	go func() {
		defer unix.Close(fd)
		for ctx.Err() == nil {
			// The timeout is the maximum time for which the watch continues after ctx ends. Poll returns at once when the process ends.
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 1000)
			if errors.Is(err, unix.EINTR) {
				continue
			}
			if n > 0 || err != nil {
				close(exited)
				return
			}
		}
	}()
	return exited, nil
}

// Guardians returns the IDs of the processes whose end must also end this process: its parent and, if the parent is the go command, the
// parent's parent. The latter is needed because "go run" does not end when its caller ends. The result never contains process 1.
func Guardians() []int {
	pids := []int{}
	parent := os.Getppid()
	if parent <= 1 {
		return pids
	}
	pids = append(pids, parent)
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", parent))
	if err != nil || strings.TrimSpace(string(name)) != "go" {
		return pids
	}
	if grand, err := parentOf(parent); err == nil && grand > 1 {
		pids = append(pids, grand)
	}
	return pids
}

func parentOf(pid int) (int, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	return parseParent(string(stat))
}

// parseParent returns the parent's process ID in the content of /proc/<pid>/stat, "pid (name) state parent …". The name can contain any
// characters.
func parseParent(stat string) (int, error) {
	end := strings.LastIndexByte(stat, ')')
	if end < 0 {
		return 0, fmt.Errorf("reading process status %q: no program name", stat)
	}
	fields := strings.Fields(stat[end+1:])
	if len(fields) < 2 {
		return 0, fmt.Errorf("reading process status %q: no parent", stat)
	}
	return strconv.Atoi(fields[1])
}

// Terminate sends SIGTERM to process pid and waits until it has ended. After grace it sends SIGKILL. It returns an error if the process has
// not ended after another grace period, or if ctx ends. If there is no such process, it returns nil.
func Terminate(ctx context.Context, pid int, grace time.Duration) error {
	exited, err := Exited(ctx, pid)
	if err != nil {
		return err
	}
	for _, signal := range []unix.Signal{unix.SIGTERM, unix.SIGKILL} {
		if err := unix.Kill(pid, signal); err != nil && !errors.Is(err, unix.ESRCH) {
			return fmt.Errorf("ending process %d: %w", pid, err)
		}
		timer := time.NewTimer(grace)
		select {
		case <-exited:
			timer.Stop()
			return nil
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		}
	}
	return fmt.Errorf("ending process %d: still there after SIGKILL", pid)
}
