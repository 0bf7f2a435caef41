// Command promises writes docs/promises.md from the comments of the tests:
//
//	go run ./hack/promises          # "make update": write the page
//	go run ./hack/promises -check   # "make verify": fail if the page is stale, and change nothing
//
// A test has the id of a promise in its name. The promise is a comment in one of the files with tests for the id:
//
//	// Promise ENG-A5: The API server refuses an edit of a Bundle's spec.
//
// In a YAML scenario, the file name contains the id, and the comment begins with #. A promise ends with its comment or at an empty line.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// page is the path of the generated page, relative to the root of the checkout.
const page = "docs/promises.md"

// folders are the folders with tests.
var folders = []string{"cmd", "hack", "hosted", "pkg", "test"}

// own is the folder of this program. addFolder skips it, because its tests contain example ids.
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
	if problems := found.problems(); len(problems) > 0 {
		return errors.Join(problems...)
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
