// Command promises writes docs/promises.md from the promises beside the tests:
//
//	go run ./hack/promises          # "make update": write the page
//	go run ./hack/promises -check   # "make verify": fail if the page is stale, and change nothing
//
// A test carries the id of a promise in its name. The promise is a comment in one of the files whose tests carry the id:
//
//	// Promise ENG-A5: The API server refuses an edit of a Bundle's spec.
//
// In a story in YAML, whose file name carries the id, the comment begins with #. A promise goes on until its comment ends or has an
// empty line.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// page is where the promises are written, below the root of the checkout.
const page = "docs/promises.md"

// folders have all tests.
var folders = []string{"cmd", "hack", "pkg", "test"}

// own is the folder of this program, whose tests carry ids that are examples.
const own = "hack/promises"

func main() {
	check := flag.Bool("check", false, "fail if the page is stale, instead of writing it")
	flag.Parse()
	if err := run(".", *check); err != nil {
		fmt.Fprintln(os.Stderr, "promises:", err)
		os.Exit(1)
	}
}

func run(root string, check bool) error {
	found := newCollection()
	for _, folder := range folders {
		if err := found.addFolder(root, folder); err != nil {
			return err
		}
	}
	if faults := found.faults(); len(faults) > 0 {
		return errors.Join(faults...)
	}
	path, content := filepath.Join(root, page), found.page()
	if !check {
		return os.WriteFile(path, []byte(content), 0o644)
	}
	present, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if string(present) != content {
		return fmt.Errorf("%s is stale; run 'make update' and commit it", page)
	}
	return nil
}
