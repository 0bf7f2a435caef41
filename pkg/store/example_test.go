package store_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/openshift/platform-operators/pkg/store"
)

func ExampleContent() {
	dir, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(dir)
	content, err := store.NewContent(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	digest := "sha256:" + strings.Repeat("0", 64)
	_ = content.Add(digest, func(dir string) error {
		return os.WriteFile(filepath.Join(dir, "bundle.yaml"), []byte("kind: Bundle"), 0o600)
	})
	fsys, ok := content.Open(digest)
	text, _ := fs.ReadFile(fsys, "bundle.yaml")
	fmt.Println(ok, string(text))
	// Output: true kind: Bundle
}
