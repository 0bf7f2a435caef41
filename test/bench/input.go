package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/operator-framework/operator-registry/alpha/declcfg"
	"golang.org/x/sync/errgroup"
)

// readCatalog returns the file-based catalog below a folder as catalogd would serve it: one JSON object a line, in the order
// of the file names. operator-registry reads it, so that both sides of a comparison get its bytes.
func readCatalog(ctx context.Context, root string) ([]byte, error) {
	files, err := filepath.Glob(filepath.Join(root, "*", "catalog.yaml"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("reading catalog %q: there is no <package>/catalog.yaml in it; --data names the folder that has the real data", root)
	}
	lines := make([][]byte, len(files))
	group, _ := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0)) // YAML is what takes the time
	for i, file := range files {
		group.Go(func() error {
			content, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			if lines[i], err = jsonLines(content); err != nil {
				return fmt.Errorf("reading catalog file %q: %w", file, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return bytes.Join(lines, nil), nil
}

// jsonLines converts YAML documents, or JSON ones, to one JSON object a line.
func jsonLines(content []byte) ([]byte, error) {
	var out bytes.Buffer
	err := declcfg.WalkMetasReader(bytes.NewReader(content), func(meta *declcfg.Meta, err error) error {
		if err != nil {
			return err
		}
		if err := json.Compact(&out, meta.Blob); err != nil {
			return err
		}
		out.WriteByte('\n')
		return nil
	})
	return out.Bytes(), err
}

// bundleFolders lists the <package>/<version> folders below a folder of bundles, sorted.
func bundleFolders(root string) ([]string, error) {
	folders, err := filepath.Glob(filepath.Join(root, "*", "*"))
	if err != nil {
		return nil, err
	}
	if len(folders) == 0 {
		return nil, fmt.Errorf("reading bundles in %q: there is no <package>/<version> in it; --data names the folder that has the real data", root)
	}
	slices.Sort(folders)
	return folders, nil
}

// shortName is "<package>/<version>" of a bundle's folder.
func shortName(folder string) string {
	return filepath.Base(filepath.Dir(folder)) + "/" + filepath.Base(folder)
}
