package environment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// buildManager compiles the manager and returns the path of a copy of it in dir.
func buildManager(ctx context.Context, root, dir string) (string, error) {
	return buildProgram(ctx, root, dir, "platform-operators")
}

// BuildPlugin compiles the plugin and puts it next to Kubectl, which finds it there if that folder is on the PATH.
func (e *Environment) BuildPlugin(ctx context.Context) error {
	_, err := buildProgram(ctx, e.Root, filepath.Dir(e.Kubectl), "kubectl-platform")
	return err
}

// buildProgram compiles the program in cmd/name and returns the path of a copy of it in dir. All environments of a checkout compile to the
// same file below _output, so that the go command links it only if something has changed. No process runs that file, because the file of a
// running program cannot be overwritten.
func buildProgram(ctx context.Context, root, dir, name string) (_ string, err error) {
	shared := filepath.Join(root, "_output", "environment", name)
	unlock, err := lockBuild(shared + ".lock")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	temp, err := goTemp(filepath.Dir(shared)) // on the same file system, so that the go command renames what it has linked
	if err != nil {
		return "", err
	}
	// With -trimpath, all checkouts share the compiled packages.
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-tags=containers_image_openpgp", "-o", shared, "./cmd/"+name)
	build.Dir = root
	build.Env = append(build.Environ(), "GOTMPDIR="+temp)
	if output, err := build.CombinedOutput(); err != nil {
		// The go command would regard a truncated file as up to date.
		return "", errors.Join(fmt.Errorf("building %s: %w\n%s", name, err, output), os.RemoveAll(shared))
	}
	binary := filepath.Join(dir, name)
	if err := replaceBinary(binary, shared); err != nil {
		return "", fmt.Errorf("copying %s: %w", name, err)
	}
	return binary, nil
}

// lockBuild waits until no other process holds the lock file at path, and locks it. The caller must call unlock.
func lockBuild(path string) (unlock func() error, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("making a folder for the manager's binary: %w", err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("locking the manager's build: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(fmt.Errorf("locking the manager's build: %w", err), file.Close())
	}
	return file.Close, nil // closing the file unlocks it
}

// replaceBinary replaces the file to with a copy of from. It renames the copy, because the file of a running program cannot be overwritten.
func replaceBinary(to, from string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	fresh := to + ".new"
	target, err := os.OpenFile(fresh, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	if err := errors.Join(err, target.Close()); err != nil {
		return err
	}
	return os.Rename(fresh, to)
}

// goTemp creates a folder in dir for the go command's temporary files, which a killed go command does not remove. It returns the absolute
// path of the folder.
func goTemp(dir string) (string, error) {
	temp, err := filepath.Abs(filepath.Join(dir, "go.tmp"))
	if err != nil {
		return "", fmt.Errorf("locating the go command's temporary files: %w", err)
	}
	if err := os.MkdirAll(temp, 0o755); err != nil {
		return "", fmt.Errorf("making a folder for the go command's temporary files: %w", err)
	}
	return temp, nil
}
