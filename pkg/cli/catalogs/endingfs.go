package catalogs

import (
	"context"
	"io/fs"
)

// endingFS is a file system whose reads fail once ctx has ended. It makes the catalog readers, which do not take a context, stop early.
type endingFS struct {
	fs.FS
	ctx context.Context
}

// ReadDir implements fs.ReadDirFS.
func (e endingFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := e.ctx.Err(); err != nil {
		return nil, err
	}
	return fs.ReadDir(e.FS, name)
}

// Stat implements fs.StatFS. Without it, fs.Stat would open the file, and opening a pipe can block forever.
func (e endingFS) Stat(name string) (fs.FileInfo, error) {
	if err := e.ctx.Err(); err != nil {
		return nil, err
	}
	return fs.Stat(e.FS, name)
}

// Open implements fs.FS.
func (e endingFS) Open(name string) (fs.File, error) {
	file, err := e.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return endingFile{file, e.ctx}, nil
}

// endingFile is a file of an endingFS.
type endingFile struct {
	fs.File
	ctx context.Context
}

// Read implements fs.File.
func (e endingFile) Read(buffer []byte) (int, error) {
	if err := e.ctx.Err(); err != nil {
		return 0, err
	}
	return e.File.Read(buffer)
}
