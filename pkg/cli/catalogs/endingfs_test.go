package catalogs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestCLI_17_AReadOfADirectoryEndsWithItsContext checks that a read ends within a file, and that the end is not reported as an invalid
// catalog.
func TestCLI_17_AReadOfADirectoryEndsWithItsContext(t *testing.T) {
	directory := t.TempDir()
	if err := os.WriteFile(filepath.Join(directory, "catalog.json"), []byte(`{"schema":"olm.package","name":"a"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	fsys := endingFS{os.DirFS(directory), ctx}
	file, err := fsys.Open("catalog.json")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	buffer := make([]byte, 4)
	if n, err := file.Read(buffer); n != 4 || err != nil {
		t.Errorf("before the end: got %d bytes, error %v", n, err)
	}
	end()
	if _, err := file.Read(buffer); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: got error %v", err)
	}
	if _, err := Directory(directory).Read(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("the directory: got error %v", err)
	}
}
