package applyconfiguration

import (
	"context"
	"errors"
	"io/fs"
	"os"
)

var errNotRegular = errors.New("it is not a regular file; delete it")

// inputFiles are the files of the input directory. Opening one never blocks, because pipes and devices are errors, and fails once the context
// has ended. No symbolic link leads out of the directory.
type inputFiles struct {
	ctx  context.Context //nolint:containedctx // that of the run, which reads the files; fs.FS has no context
	root *os.Root
	fs   fs.FS
}

// Open implements fs.FS.
func (f inputFiles) Open(name string) (fs.File, error) {
	if f.ctx.Err() != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: context.Cause(f.ctx)}
	}
	if _, err := f.Stat(name); err != nil {
		return nil, err
	}
	return f.fs.Open(name)
}

// Stat implements fs.StatFS. A pipe or a device is an error.
func (f inputFiles) Stat(name string) (fs.FileInfo, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrInvalid}
	}
	info, err := f.root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errNotRegular}
	}
	return info, nil
}

// Lstat and ReadLink implement fs.ReadLinkFS.
func (f inputFiles) Lstat(name string) (fs.FileInfo, error) { return f.root.Lstat(name) }
func (f inputFiles) ReadLink(name string) (string, error)   { return f.root.Readlink(name) }
