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
	for name, test := range map[string]struct {
		create func(path string) error
		want   string
	}{
		"Pipe":         {func(path string) error { return syscall.Mkfifo(path, 0o600) }, `file "b.yaml" is not a regular file`},
		"LinkToDevice": {func(path string) error { return os.Symlink("/dev/zero", path) }, `file "b.yaml" is a symbolic link out of the directory`},
	} {
		t.Run(name, func(t *testing.T) {
			directory := t.TempDir()
			if err := os.WriteFile(filepath.Join(directory, "a.yaml"), []byte("schema: olm.package\nname: a\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := test.create(filepath.Join(directory, "b.yaml")); err != nil {
				t.Fatal(err)
			}
			failed := make(chan error, 1)
			go func() {
				_, err := Directory(directory).Read(t.Context())
				failed <- err
			}()
			select {
			case err := <-failed:
				if exit.CodeOf(err) != exit.Invalid || !strings.Contains(err.Error(), test.want) {
					t.Errorf("got %v", err)
				}
			case <-time.After(20 * time.Second):
				t.Fatal("the read does not end")
			}
		})
	}
}
