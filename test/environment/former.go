package environment

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// ErrNotInHistory is the error that BuildFormer returns for a commit that is missing from the checkout's history, for example because the
// clone is shallow.
var ErrNotInHistory = errors.New("the commit is not in the checkout's history")

// BuildFormer builds the manager of an earlier commit, which is given by its full hash. It returns the paths of the binary and of the
// commit's manifests, both in _output below root. Later calls for the commit reuse them. It returns ErrNotInHistory for an unknown commit.
func BuildFormer(ctx context.Context, root, commit string) (binary, manifests string, err error) {
	if output, err := exec.CommandContext(ctx, "git", "-C", root, "rev-parse", "--git-dir").CombinedOutput(); err != nil {
		return "", "", fmt.Errorf("looking for the git history of the checkout: %w\n%s", err, output)
	}
	if output, err := exec.CommandContext(ctx, "git", "-C", root, "cat-file", "-e", commit+"^{commit}").CombinedOutput(); ctx.Err() != nil {
		return "", "", ctx.Err()
	} else if err != nil {
		return "", "", fmt.Errorf("building the manager of %s: %w: %s", commit, ErrNotInHistory, bytes.TrimSpace(output))
	}
	dir := filepath.Join(root, "_output", "former", commit)
	binary, manifests = filepath.Join(dir, "platform-operators"), filepath.Join(dir, "manifests")
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", "", fmt.Errorf("making a folder for the manager of %s: %w", commit, err)
	}
	unlock, err := lockBuild(dir + ".lock")
	if err != nil {
		return "", "", err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if _, err := os.Stat(binary); err == nil {
		return binary, manifests, nil
	}
	sources, err := os.MkdirTemp(filepath.Dir(dir), "sources-")
	if err != nil {
		return "", "", fmt.Errorf("making a folder for the sources of %s: %w", commit, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(sources)) }()
	if err := extract(ctx, root, commit, sources); err != nil {
		return "", "", fmt.Errorf("extracting the sources of %s: %w", commit, err)
	}
	if err := os.RemoveAll(manifests); err != nil { // an interrupted call may have left some
		return "", "", fmt.Errorf("removing earlier copies of the manifests of %s: %w", commit, err)
	}
	if err := os.CopyFS(manifests, os.DirFS(filepath.Join(sources, "manifests"))); err != nil {
		return "", "", fmt.Errorf("copying the manifests of %s: %w", commit, err)
	}
	built := filepath.Join(sources, "built")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-o", built, "./cmd/platform-operators")
	build.Dir = sources
	if output, err := build.CombinedOutput(); err != nil {
		return "", "", fmt.Errorf("building the manager of %s: %w\n%s", commit, err, output)
	}
	if err := os.Rename(built, binary); err != nil { // atomic: an interrupted build leaves no partial binary
		return "", "", fmt.Errorf("moving the manager of %s to _output: %w", commit, err)
	}
	return binary, manifests, nil
}

// extract writes the files that the build of a commit's manager needs, and the commit's manifests, to dir.
func extract(ctx context.Context, root, commit, dir string) error {
	command := exec.CommandContext(ctx, "git", "-C", root, "archive", "--format=tar", commit, "--", "bindata", "cmd", "go.mod", "go.sum", "manifests", "pkg", "vendor")
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	unpackErr := untar(output, dir)
	_, _ = io.Copy(io.Discard, output) // git blocks while the pipe is full, and Wait would not return
	return errors.Join(unpackErr, command.Wait())
}

// untar writes the regular files of a tar archive into dir, and skips other entries.
func untar(archive io.Reader, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for files := tar.NewReader(archive); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		if err := root.MkdirAll(filepath.Dir(header.Name), 0o755); err != nil {
			return err
		}
		file, err := root.Create(header.Name)
		if err != nil {
			return err
		}
		_, err = io.Copy(file, files)
		if err := errors.Join(err, file.Close()); err != nil {
			return err
		}
	}
}
