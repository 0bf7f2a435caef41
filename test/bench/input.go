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

// readCatalog returns the file-based catalog in a folder as catalogd serves it: one JSON object per line, in the order of the file names.
// operator-registry parses it, so that both sides of a comparison get the same bytes. It returns an error if the folder has no
// <package>/catalog.yaml.
func readCatalog(ctx context.Context, root string) ([]byte, error) {
	files, err := filepath.Glob(filepath.Join(root, "*", "catalog.yaml"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("reading catalog %q: it has no <package>/catalog.yaml; set --data to the folder with the real data", root)
	}
	lines := make([][]byte, len(files))
	group, _ := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0)) // parsing YAML takes most of the time
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

// jsonLines converts YAML or JSON documents to one JSON object per line.
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

// bundleFolders returns the <package>/<version> folders of bundles, sorted. It returns an error if there are none.
func bundleFolders(root string) ([]string, error) {
	folders, err := filepath.Glob(filepath.Join(root, "*", "*"))
	if err != nil {
		return nil, err
	}
	if len(folders) == 0 {
		return nil, fmt.Errorf("reading bundles in %q: it has no <package>/<version>; set --data to the folder with the real data", root)
	}
	slices.Sort(folders)
	return folders, nil
}

// shortName returns "<package>/<version>" of a bundle's folder.
func shortName(folder string) string {
	return filepath.Base(filepath.Dir(folder)) + "/" + filepath.Base(folder)
}
