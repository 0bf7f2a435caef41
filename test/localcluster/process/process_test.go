package process

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// deadline is the maximum duration of waits that end early unless something is broken.
const deadline = 20 * time.Second

func TestFreePortsAreDifferentAndOutsideTheRangeOfOutgoingConnections(t *testing.T) {
	ports, err := FreePorts(20)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, port := range ports {
		if seen[port] || port < firstPort || port >= lastPort {
			t.Errorf("port %d of %v: want different ports from %d to %d", port, ports, firstPort, lastPort)
		}
		seen[port] = true
	}
	if len(ports) != 20 {
		t.Errorf("got %d ports, want 20", len(ports))
	}
}

func TestFreePortsGivesUpWhenThereAreNotEnough(t *testing.T) {
	if _, err := FreePorts(lastPort - firstPort + 1); err == nil {
		t.Error("got more ports than the range has")
	}
}

func TestLockIsHeldByOneUntilItIsReleased(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := TryLock(path); !errors.Is(err, ErrLocked) {
		t.Fatalf("second lock: got %v, want ErrLocked", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := WaitLock(cancelled, path); !errors.Is(err, context.Canceled) {
		t.Fatalf("waiting with a cancelled context: got %v, want its error", err)
	}
	first.Release()
	ctx, stop := context.WithTimeout(t.Context(), deadline)
	defer stop()
	second, err := WaitLock(ctx, path)
	if err != nil {
		t.Fatalf("after release: %v", err)
	}
	second.Release()
}

func TestKeeperStopsWhatItStartedAndCanStartAgain(t *testing.T) {
	keeper := NewKeeper()
	for round := range 2 {
		child := start(t, keeper, "exec tail -f /dev/null")
		if err := keeper.Stop(time.Second); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		requireClosed(t, child.Done(), "the child's end")
		if len(keeper.Children()) != 0 {
			t.Errorf("round %d: children are still listed after Stop", round)
		}
	}
}

func TestKeeperKillsAChildThatIgnoresTheRequestToEnd(t *testing.T) {
	keeper := NewKeeper()
	child := start(t, keeper, "trap '' TERM; exec tail -f /dev/null")
	if err := keeper.Stop(50 * time.Millisecond); err != nil {
		t.Fatal(err)
	}
	requireClosed(t, child.Done(), "the child's end")
	if child.Err() == nil {
		t.Error("a killed child ended without an error")
	}
}

func TestKeeperNamesWhatItCannotStart(t *testing.T) {
	_, err := NewKeeper().Start(Spec{Name: "absent", Path: "/does/not/exist", Log: filepath.Join(t.TempDir(), "log")})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want os.ErrNotExist", err)
	}
}

func TestExitedTellsOfAStrangersEndAndOfOneLongGone(t *testing.T) {
	command := exec.Command("tail", "-f", "/dev/null")
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	exited, err := Exited(t.Context(), command.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-exited:
		t.Fatal("told of the end of a process that runs")
	default:
	}
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	requireClosed(t, exited, "the end of the process")
	_ = command.Wait() // killed, so always an error

	gone, err := Exited(t.Context(), command.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	requireClosed(t, gone, "the end of a process that is gone")
}

func TestParseParent(t *testing.T) {
	for name, test := range map[string]struct {
		stat    string
		want    int
		wantErr bool
	}{
		"an ordinary program":                      {stat: "42 (go) S 7 42 42 0", want: 7},
		"a name with parentheses and spaces":       {stat: "42 (a) S 1 (b) S 9 42", want: 9},
		"nothing after the name":                   {stat: "42 (go)", wantErr: true},
		"no name":                                  {stat: "42", wantErr: true},
		"a parent that is no number":               {stat: "42 (go) S x", wantErr: true},
		"nothing at all, as of a vanished process": {stat: "", wantErr: true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := parseParent(test.stat)
			if got != test.want || (err != nil) != test.wantErr {
				t.Errorf("parseParent(%q) = %d, %v; want %d and an error: %t", test.stat, got, err, test.want, test.wantErr)
			}
		})
	}
}

func FuzzParseParent(f *testing.F) {
	f.Add("42 (go) S 7 42 42 0")
	f.Add(") S")
	f.Add("1 (a) S 0")
	f.Fuzz(func(t *testing.T, stat string) {
		parent, err := parseParent(stat)
		if err == nil && !strings.Contains(stat, strings.TrimPrefix(strconv.Itoa(parent), "-")) {
			t.Errorf("parseParent(%q) = %d, which it does not say", stat, parent)
		}
	})
}

func start(t *testing.T, keeper *Keeper, script string) *Child {
	t.Helper()
	child, err := keeper.Start(Spec{Name: "script", Path: "/bin/sh", Args: []string{"-c", script}, Log: filepath.Join(t.TempDir(), "log")})
	if err != nil {
		t.Fatal(err)
	}
	return child
}

func requireClosed(t *testing.T, done <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(deadline):
		t.Fatalf("waited %s for %s", deadline, what)
	}
}
