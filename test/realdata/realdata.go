// Package realdata finds the public catalogs and bundles that some tests read. They are in a folder next to the checkout, and are not part
// of the project.
package realdata

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Env is the name of the environment variable with the path of the data folder: absolute, or relative to the folder of the main module's
// go.mod. If the variable is "", there is no data. If it is not set, the folder is DefaultFolder. The Makefile always sets the variable:
// the go command reuses a cached test result only if the variables that the test read are unchanged, but it does not check files outside
// the module.
const Env = "PLATFORM_OPERATORS_REAL_DATA"

// DefaultFolder is the folder of the data if Env is not set, relative to the folder of go.mod.
const DefaultFolder = "../shared/data"

// Find returns the paths of the files and folders in the data folder that match a pattern for filepath.Glob. The paths are sorted by the
// names of their folders, and then by file name. Find returns an error if nothing matches.
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

// Glob returns the paths that Find returns. It skips the test if Find returns an error.
func Glob(tb testing.TB, pattern string) []string {
	tb.Helper()
	found, err := Find(pattern)
	if err != nil {
		tb.Skip(err)
	}
	return found
}

// Path returns the path of the file or folder with this name in the data. It skips the test if there is none.
func Path(tb testing.TB, name string) string {
	tb.Helper()
	return Glob(tb, name)[0]
}

// moduleRoot returns the working directory or its nearest parent that contains a go.mod file, or an error if there is none.
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
