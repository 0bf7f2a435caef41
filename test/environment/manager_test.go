package environment

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTheManagersTemporaryFilesGoWithIt checks that Start sets TMPDIR to a folder that is removed when the manager ends, however it ends.
func TestTheManagersTemporaryFilesGoWithIt(t *testing.T) {
	for name, end := range map[string]func(*Manager) error{"stopped": (*Manager).Stop, "killed": (*Manager).Kill} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			binary := filepath.Join(dir, "writes-a-key")
			script := "#!/bin/sh\nset -e\necho secret > \"$TMPDIR/tls.key\"\necho \"$TMPDIR\" > " + filepath.Join(dir, "where") + "\nexec sleep 60\n"
			if err := os.WriteFile(binary, []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
			manager, err := newManager(binary, "kubeconfig", dir, "ca", nil)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // a restarted manager gets a new folder
				if err := manager.Start(); err != nil {
					t.Fatal(err)
				}
				where := waitForFile(t, filepath.Join(dir, "where"))
				if filepath.Dir(where) != dir {
					t.Errorf("the manager's temporary files go to %q, which is not in %q", where, dir)
				}
				if err := end(manager); err != nil {
					t.Fatal(err)
				}
				if _, err := os.Stat(where); !os.IsNotExist(err) {
					t.Errorf("%q is still there after the manager's end: %v", where, err)
				}
				if err := os.Remove(filepath.Join(dir, "where")); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestAManagerThatEndsByItselfSaysHow checks that Ended reports only an end that neither Kill nor Stop caused, with the end of the log.
func TestAManagerThatEndsByItselfSaysHow(t *testing.T) {
	for name, end := range map[string]func(*Manager) error{
		"by itself": func(*Manager) error { return nil },
		"stopped":   (*Manager).Stop,
		"killed":    (*Manager).Kill,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			binary, last := filepath.Join(dir, "ends"), "exec sleep 60"
			if name == "by itself" {
				last = "echo no certificates >&2\nexit 3"
			}
			if err := os.WriteFile(binary, []byte("#!/bin/sh\n"+last+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			manager, err := newManager(binary, "kubeconfig", dir, "ca", nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(manager.Start(), end(manager)); err != nil {
				t.Fatal(err)
			}
			<-manager.Exited()
			want := ""
			if name == "by itself" {
				want = "exit status 3; its log ends with\nno certificates\n"
			}
			if got := manager.Ended(); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// waitForFile waits until a file ends with a newline, and returns its content without surrounding white space.
func waitForFile(t *testing.T, path string) string {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for range 2000 {
		if content, err := os.ReadFile(path); err == nil && strings.HasSuffix(string(content), "\n") {
			return strings.TrimSpace(string(content))
		}
		<-tick.C
	}
	t.Fatalf("%q was not written", path)
	return ""
}
