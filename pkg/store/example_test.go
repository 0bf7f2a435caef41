package store_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/store"
)

func ExampleContent() {
	dir, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(dir)
	content, err := store.NewContent(store.ContentConfig{Dir: dir, Budget: 1 << 20, Clock: clock.RealClock{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fill := func(_ context.Context, to source.Target) (mirror string, err error) {
		text := []byte("kind: Bundle")
		if err := to.Reserve(int64(len(text))); err != nil {
			return "", err
		}
		return "", os.WriteFile(filepath.Join(to.Dir, "bundle.yaml"), text, 0o600)
	}
	digest := "sha256:" + strings.Repeat("0", 64)
	err = content.Use(context.Background(), digest, fill, func(files fs.FS, _ string) error {
		text, err := fs.ReadFile(files, "bundle.yaml")
		fmt.Println(string(text))
		return err
	})
	fmt.Println(err)
	// Output:
	// kind: Bundle
	// <nil>
}
