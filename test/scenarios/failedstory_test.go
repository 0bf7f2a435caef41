package scenarios

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/openshift/platform-operators/test/environment"
)

// failedStoryFile returns the path of the file for the failed story of a test. It creates the folder. The folder is in the checkout because
// hack/in-memory.sh deletes temporary files.
func failedStoryFile(t *testing.T) string {
	t.Helper()
	root, err := environment.Root()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(root, "_output", "failed-stories")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, filepath.Base(t.Name())+".yaml")
}
