package mustgather_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/openshift/platform-operators/pkg/mustgather"
)

// Secrets lose their values when a must-gather is copied. Its other files are left out.
func Example() {
	input, err := mustgather.Read(os.DirFS("testdata/must-gather.local.1"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	temporary, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(temporary)
	dir := filepath.Join(temporary, "copy")
	for _, object := range input.Objects {
		mustgather.Elide(object.Unstructured)
	}
	if err := mustgather.Write(dir, input.Objects, input.NotCollected); err != nil {
		fmt.Println(err)
		return
	}
	written, err := mustgather.Read(os.DirFS(dir), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, object := range written.Objects[:3] {
		fmt.Println(object.File)
	}
	// Output:
	// namespaces/demo/core/configmaps/demo.yaml
	// namespaces/demo/demo.yaml
	// namespaces/demo/core/secrets/demo.yaml
}
