package environment

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// output is a writer whose content can be read while Supervise writes. changed receives a value after each write.
type output struct {
	mu      sync.Mutex
	text    bytes.Buffer
	changed chan struct{}
}

func (o *output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer func() { o.changed <- struct{}{} }()
	return o.text.Write(text)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// Promise HRD-U10: The demo starts a manager that was killed again, and says so. It gives up if the manager does not stay up.
func TestHRD_U10_KilledManagerIsStartedAgain(t *testing.T) {
	for name, test := range map[string]struct{ last, want string }{
		"killed":               {"exec sleep 60", ""},
		"it ends at once":      {"exit 3", "the manager ended 3 times within 5s of its start; last: exit status 3; its log ends with"},
		"it cannot be started": {"", "starting the manager again after it ended: "},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			binary := filepath.Join(dir, "manager")
			if err := os.WriteFile(binary, []byte("#!/bin/sh\n"+test.last+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			manager, err := newManager(binary, "kubeconfig", dir, "ca", nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := manager.Start(); err != nil {
				t.Fatal(err)
			}
			if test.last == "" {
				if err := os.Remove(binary); err != nil {
					t.Fatal(err)
				}
			}
			env, out := &Environment{Manager: manager}, &output{changed: make(chan struct{}, 10)}
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			ended := make(chan error, 1)
			first := manager.PID()
			go func() { ended <- env.Supervise(ctx, nil, out) }()
			if test.want == "" {
				if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
				<-out.changed
				cancel()
			}
			if err := <-ended; test.want == "" && err != nil || test.want != "" && (err == nil || !strings.HasPrefix(err.Error(), test.want)) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if test.want == "" && (manager.PID() == first || !strings.HasPrefix(out.String(), "The manager ended (signal: killed). It was started again (process ")) {
				t.Errorf("process %d, before %d: %s", manager.PID(), first, out)
			}
			if err := manager.Stop(); err != nil {
				t.Error(err)
			}
		})
	}
}
