package scenarios

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/applyconfiguration"
	"github.com/openshift/platform-operators/pkg/mustgather"
)

// compareDirectories runs a round twice from a directory. It returns an error unless both write the same files, and the same mutations as
// output, which is that of the round in memory.
func (r *roundsRunner) compareDirectories(ctx context.Context, s *Story, options applyconfiguration.Options, output *applyconfiguration.Output) error {
	dir := s.TempDir()
	options.InputDir, options.Cache = filepath.Join(dir, "input"), nil
	if err := mustgather.Write(options.InputDir, r.objects.input().Objects, mustgather.NotCollected{}); err != nil {
		return err
	}
	if err := os.CopyFS(options.InputDir, r.content.files); err != nil {
		return err
	}
	var files [2]map[string]string
	for i := range files {
		options.OutputDir = filepath.Join(dir, fmt.Sprint("output", i))
		runErr := applyconfiguration.Run(ctx, options)
		if (runErr == nil) != (output.Failed == nil) {
			return fmt.Errorf("the round from a directory fails: %t, and the one in memory: %t: %w", runErr != nil, output.Failed != nil, errors.Join(runErr, output.Failed))
		}
		var err error
		if files[i], err = textsIn(options.OutputDir); err != nil {
			return err
		}
	}
	if diff := cmp.Diff(files[0], files[1]); diff != "" {
		return fmt.Errorf("two rounds from one directory have different output (-first +second):\n%s", diff)
	}
	bodies := 0
	for name := range files[0] {
		if strings.Contains(filepath.Base(name), "-body-") {
			bodies++
		}
	}
	if bodies != len(output.Requests) {
		return fmt.Errorf("the round from a directory has %d mutations, and the one in memory %d", bodies, len(output.Requests))
	}
	return nil
}

// textsIn returns the content of the files in a directory.
func textsIn(dir string) (map[string]string, error) {
	files, err := readFiles(dir)
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	err = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		texts[name] = string(content)
		return err
	})
	return texts, err
}

// checkRest returns an error if a round on the cluster at rest has a mutation. It compares the round with one from a directory.
func (r *roundsRunner) checkRest(ctx context.Context, s *Story) error {
	output, options, err := r.reconcile(ctx, s)
	if err != nil {
		return err
	}
	var lines []string
	for i := range output.Requests {
		lines = append(lines, output.Requests[i].StringID())
	}
	if len(lines) > 0 {
		err = fmt.Errorf("a round on the cluster at rest has mutations:\n%s", strings.Join(lines, "\n"))
	}
	return errors.Join(err, r.compareDirectories(ctx, s, options, output))
}
