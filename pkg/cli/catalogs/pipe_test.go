package catalogs

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/openshift/platform-operators/pkg/cli/exit"
)

// TestCLI_12_AFileThatIsNotRegularIsRefused checks that a pipe or a device does not block the command beyond its time limit: opening a pipe
// waits for a writer, and neither a context nor a first signal ends that.
func TestCLI_12_AFileThatIsNotRegularIsRefused(t *testing.T) {
	for name, create := range map[string]func(path string) error{
		"Pipe":         func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"LinkToDevice": func(path string) error { return os.Symlink("/dev/zero", path) },
	} {
		t.Run(name, func(t *testing.T) {
			directory := t.TempDir()
			if err := os.WriteFile(filepath.Join(directory, "a.yaml"), []byte("schema: olm.package\nname: a\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := create(filepath.Join(directory, "b.yaml")); err != nil {
				t.Fatal(err)
			}
			failed := make(chan error, 1)
			go func() {
				_, err := Directory(directory).Read(t.Context())
				failed <- err
			}()
			select {
			case err := <-failed:
				if exit.CodeOf(err) != exit.Invalid || !strings.Contains(err.Error(), `file "b.yaml" is not a regular file`) {
					t.Errorf("got %v", err)
				}
			case <-time.After(20 * time.Second):
				t.Fatal("the read does not end")
			}
		})
	}
}
