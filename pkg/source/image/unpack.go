package image

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/truncate"
)

// maxName is the maximum length of an entry's name in bytes, and maxDepth the maximum number of directories in it. A name in a tar archive
// may be a megabyte long, with half a million directories. Linux limits the length of a path, and os.Root opens each directory of it
// several times.
const (
	maxName  = 1024
	maxDepth = 64
)

// unpacker writes the layers of one image, from the lowest to the highest. os.Root is a second protection: it ensures that even names that
// pass the checks cannot leave the directory.
type unpacker struct {
	root   *os.Root
	limits Limits
	// bytes is the size of all layers so far, files is the total size of their files, and entries is the number of their entries. bytes and
	// files are both limited, because a sparse file is small in the archive and large on disk.
	bytes   int64
	files   int64
	entries int
	// reserveBytes is source.Target.Reserve, and checkBytes source.Target.CheckBytes; or a function that does nothing.
	reserveBytes, checkBytes func(bytes int64) error
	// directory is the only directory that is unpacked; empty means everything.
	directory string
}

func newUnpacker(target source.Target, limits Limits) (*unpacker, error) {
	root, err := os.OpenRoot(target.Dir)
	if err != nil {
		return nil, err
	}
	unpacking := &unpacker{root: root, limits: limits, reserveBytes: target.Reserve, checkBytes: target.CheckBytes}
	for _, each := range []*func(int64) error{&unpacking.reserveBytes, &unpacking.checkBytes} {
		if *each == nil {
			*each = func(int64) error { return nil }
		}
	}
	return unpacking, nil
}

// reserve reserves disk space for a file, directory or link whose content has a number of bytes.
func (u *unpacker) reserve(bytes int64) error {
	if err := u.reserveBytes(OnDisk(bytes)); err != nil {
		return &markedError{class: Reserved, err: err}
	}
	return nil
}

// OnDisk returns the disk usage of a file, directory or link whose content has a number of bytes: whole blocks, and one block for its name.
func OnDisk(bytes int64) int64 {
	const block = 4096
	return (bytes+block-1)/block*block + block
}

func (u *unpacker) close() { _ = u.root.Close() }

func (u *unpacker) stream(content io.Reader) error {
	counted := &countingReader{reader: content, left: u.limits.Bytes - u.bytes, limit: u.limits.Bytes}
	defer func() { u.bytes = u.limits.Bytes - counted.left }()
	reader := tar.NewReader(counted)
	names := newLayerNames()
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return tarError(err)
		}
		counted.entry = header.Name
		if u.entries++; u.entries > u.limits.Entries {
			return refuse("entry %s is number %d, but at most %d are allowed", truncate.Quote(header.Name), u.entries, u.limits.Entries)
		}
		if err := u.entry(header, reader, names); err != nil {
			return err
		}
	}
	_, err := io.Copy(io.Discard, counted)
	return tarError(err)
}

// tarError returns errors in the archive as refusals, and errors from reading it unchanged.
func tarError(err error) error {
	if err == nil {
		return nil
	}
	// Some errors of archive/tar are not exported.
	if strings.HasPrefix(err.Error(), "archive/tar: ") {
		return refuse("its tar archive cannot be read: %w", err)
	}
	return err
}

// entry applies one entry of a layer, and adds its name to the names of this layer.
func (u *unpacker) entry(header *tar.Header, content io.Reader, names *layerNames) error {
	target, err := safeName(header.Name)
	if err != nil {
		return err
	}
	if !u.isSelected(target) {
		return nil
	}
	if strings.HasPrefix(path.Base(target), whiteout) {
		return u.whiteout(header.Name, target, names)
	}
	isDirectory := header.Typeflag == tar.TypeDir
	if !names.add(target, isDirectory) {
		return refuse("entry %s occurs twice", truncate.Quote(header.Name))
	}
	if target == "." {
		if isDirectory {
			return nil
		}
		return refuse("entry %s has no name", truncate.Quote(header.Name))
	}
	switch header.Typeflag {
	case tar.TypeDir:
		return u.makeDirectory(target)
	case tar.TypeReg:
		return u.file(target, header, content)
	case tar.TypeSymlink, tar.TypeLink:
		return u.link(target, header)
	}
	return refuse("entry %s is a %s; only files, directories and links are unpacked", truncate.Quote(header.Name), kindOf(header.Typeflag))
}

// isSelected reports whether an entry is in the selected directory, or deletes this directory or one above it.
func (u *unpacker) isSelected(target string) bool {
	if u.directory == "" || isWithin(target, u.directory) {
		return true
	}
	base, parent := path.Base(target), path.Dir(target)
	if base == opaque {
		return isWithin(u.directory, parent)
	}
	return strings.HasPrefix(base, whiteout) && isWithin(u.directory, path.Join(parent, strings.TrimPrefix(base, whiteout)))
}

// isWithin reports whether a path is a directory or below it. Both are clean and relative.
func isWithin(name, directory string) bool {
	return directory == "." || name == directory || strings.HasPrefix(name, directory+"/")
}

func (u *unpacker) makeDirectory(target string) error {
	if info, err := u.root.Lstat(local(target)); err == nil && !info.IsDir() {
		if err := u.removeAll(target); err != nil {
			return err
		}
	}
	return u.makeDirectories(target)
}

func (u *unpacker) file(target string, header *tar.Header, content io.Reader) (err error) {
	if header.Size > u.limits.FileBytes {
		return refuse("entry %s has %d bytes, but at most %d are allowed in one file", truncate.Quote(header.Name), header.Size, u.limits.FileBytes)
	}
	if u.files += header.Size; u.files > u.limits.Bytes {
		return refuse("its files up to entry %s have %d bytes, but at most %d are allowed", truncate.Quote(header.Name), u.files, u.limits.Bytes)
	}
	if err := u.checkBytes(u.files); err != nil {
		return &markedError{class: Reserved, err: err}
	}
	if err := u.reserve(header.Size); err != nil {
		return err
	}
	if err := u.prepare(target); err != nil {
		return err
	}
	// The entry's mode is ignored: the manager runs no file of a bundle, and must be able to read each.
	file, err := u.root.OpenFile(local(target), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return writing(target, err)
	}
	defer func() {
		if closeErr := file.Close(); err == nil {
			err = writing(target, closeErr)
		}
	}()
	// The reader of an entry ends after header.Size bytes.
	_, err = io.Copy(file, content)
	return tarError(err)
}

func (u *unpacker) link(target string, header *tar.Header) error {
	hard := header.Typeflag == tar.TypeLink
	from := path.Dir(target)
	if hard {
		from = "." // a hard link is relative to the archive's root, a symbolic link to its own directory
	}
	if path.IsAbs(header.Linkname) || header.Linkname == "" {
		return refuse("entry %s is a link to %s, which is outside of the image's content", truncate.Quote(header.Name), truncate.Quote(header.Linkname))
	}
	pointed := path.Join(from, header.Linkname)
	if !filepath.IsLocal(local(pointed)) {
		return refuse("entry %s is a link to %s, which is outside of the image's content", truncate.Quote(header.Name), truncate.Quote(header.Linkname))
	}
	if err := u.reserve(int64(len(header.Linkname))); err != nil {
		return err
	}
	if err := u.prepare(target); err != nil {
		return err
	}
	if hard {
		if err := u.root.Link(local(pointed), local(target)); err != nil {
			return refuse("entry %s is a link to %s, which cannot be linked to: %w", truncate.Quote(header.Name), truncate.Quote(header.Linkname), pathless(err))
		}
		return nil
	}
	return writing(target, u.root.Symlink(header.Linkname, local(target)))
}

// prepare creates the parent directories of a target, and removes the target if a lower layer has it.
func (u *unpacker) prepare(target string) error {
	if parent := path.Dir(target); parent != "." {
		if err := u.makeDirectories(parent); err != nil {
			return err
		}
	}
	return u.removeAll(target)
}

// makeDirectories creates a directory and its parents. Parents without an entry in the archive count toward the limit of entries, so that a
// small archive cannot fill the disk with directories.
func (u *unpacker) makeDirectories(dir string) error {
	if err := u.reserve(0); err != nil {
		return err
	}
	for above := path.Dir(dir); above != "."; above = path.Dir(above) {
		if _, err := u.root.Lstat(local(above)); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		if u.entries++; u.entries > u.limits.Entries {
			return refuse("entry %s exceeds the limit of %d files, directories and links", truncate.Quote(dir), u.limits.Entries)
		}
		if err := u.reserve(0); err != nil {
			return err
		}
	}
	return writing(dir, u.root.MkdirAll(local(dir), 0o755))
}

func (u *unpacker) removeAll(target string) error {
	return writing(target, u.root.RemoveAll(local(target)))
}

// safeName returns the cleaned name of an entry. It returns an error if the name is absolute, leaves the root, or exceeds a limit.
func safeName(entry string) (string, error) {
	if path.IsAbs(entry) {
		return "", refuse("entry %s has an absolute name", truncate.Quote(entry))
	}
	cleaned := path.Clean(entry)
	if len(entry) > maxName {
		return "", refuse("entry %s has a name of %d bytes, but at most %d are allowed", truncate.Quote(entry), len(entry), maxName)
	}
	if depth := strings.Count(cleaned, "/"); depth > maxDepth {
		return "", refuse("entry %s is in %d nested directories, but at most %d are allowed", truncate.Quote(entry), depth, maxDepth)
	}
	if entry == "" || strings.ContainsRune(entry, 0) || !filepath.IsLocal(local(cleaned)) {
		return "", refuse("entry %s leaves the image's content", truncate.Quote(entry))
	}
	return cleaned, nil
}

func local(name string) string { return filepath.FromSlash(name) }

// writing returns the error for an entry that cannot be written. The usual cause is a link to a location outside the directory.
func writing(target string, err error) error {
	if err == nil {
		return nil
	}
	if isDiskFault(err) {
		return fmt.Errorf("writing %s: %w", truncate.Quote(target), pathless(err))
	}
	return refuse("entry %s cannot be written: %w", truncate.Quote(target), pathless(err))
}

// pathless returns an error without the manager's local path, because the message already contains the entry's name.
func pathless(err error) error {
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		return at.Err
	}
	if at := (*os.LinkError)(nil); errors.As(err, &at) {
		return at.Err
	}
	return err
}

func kindOf(typeflag byte) string {
	switch typeflag {
	case tar.TypeChar:
		return "character device"
	case tar.TypeBlock:
		return "block device"
	case tar.TypeFifo:
		return "named pipe"
	case tar.TypeGNUSparse:
		return "sparse file"
	}
	return fmt.Sprintf("tar entry of type %q", typeflag)
}

// countingReader reads a layer, and returns an error after limit bytes of all layers together, so that a decompression bomb is stopped
// early. left is the number of bytes that are still permitted.
type countingReader struct {
	reader io.Reader
	left   int64
	limit  int64
	entry  string // the entry whose header was read last
}

func (c *countingReader) Read(buffer []byte) (int, error) {
	n, err := c.reader.Read(buffer)
	c.left -= int64(n)
	if c.left < 0 {
		if c.entry == "" {
			return n, refuse("its unpacked layers have more than %d bytes; the limit was exceeded before the first entry of this layer", c.limit)
		}
		return n, refuse("its unpacked layers have more than %d bytes; the limit was exceeded at or after entry %s", c.limit, truncate.Quote(c.entry))
	}
	return n, err
}
