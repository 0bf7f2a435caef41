// Package realdata finds the public catalogs and bundles that some tests read. They lie beside a checkout and are not part of the project.
package realdata

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Env names the environment variable with the folder of the data: absolute, or relative to the folder of the main module's go.mod. If it is
// set to "", there is no data; if it is not set, the folder is DefaultFolder. The Makefile sets it in every case: the go command compares the
// variables that a test reads, but no files outside of the module, when it reuses the result of an earlier run.
const Env = "PLATFORM_OPERATORS_REAL_DATA"

// DefaultFolder is where the data is expected, relative to the folder of go.mod.
const DefaultFolder = "../shared/data"

// Find returns the files and folders that match a pattern of filepath.Glob relative to the data's folder, in the order of their names
// and their folders' names. It returns an error if there are none.
func Find(pattern string) ([]string, error) {
	folder, isSet := os.LookupEnv(Env)
	if !isSet {
		folder = DefaultFolder
	}
	if folder == "" {
		return nil, fmt.Errorf("there are no real catalogs and bundles: %s is empty", Env)
	}
	if !filepath.IsAbs(folder) {
		root, err := moduleRoot()
		if err != nil {
			return nil, err
		}
		folder = filepath.Join(root, folder)
	}
	found, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil {
		return nil, fmt.Errorf("looking for %q in the real data: %w", pattern, err)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("there is no %s in the folder of the real data, %s; %s names another folder", pattern, folder, Env)
	}
	// Glob sorts the names within each folder. Sorting whole paths would put a-v2/file before a/file, because "-" is less than "/".
	return found, nil
}

// Glob is Find for a test, which it skips if nothing matches.
func Glob(tb testing.TB, pattern string) []string {
	tb.Helper()
	found, err := Find(pattern)
	if err != nil {
		tb.Skip(err)
	}
	return found
}

// Path returns the path of one file or folder of the data. It skips the test if there is none.
func Path(tb testing.TB, name string) string {
	tb.Helper()
	return Glob(tb, name)[0]
}

// moduleRoot returns the nearest folder with a go.mod, from the working directory upward.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("looking for the folder of the real data: the working directory is in no module")
		}
		dir = parent
	}
}
