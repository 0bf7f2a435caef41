package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// unfinishedPrefix is the prefix of directories that are being filled or removed.
	unfinishedPrefix = ".unfinished-"
	// filesName, sizeName and originName are the entries of a digest's directory: the unpacked files, a file with their total size, and a file
	// with the line about their origin, if there is one. If the files have a different size, a power failure truncated them.
	filesName, sizeName, originName = "files", "size", "origin"
)

// contentDir is the layout of Content on disk.
type contentDir string

// foundContent is complete content that was on disk when the store was opened.
type foundContent struct {
	digest string
	// origin is the line about the origin of the content.
	origin string
	bytes  int64
	used   time.Time
}

// open returns the complete content, the least recently used first, and removes all other entries.
func (d contentDir) open() ([]foundContent, error) {
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(string(d))
	if err != nil {
		return nil, err
	}
	var found []foundContent
	for _, entry := range entries {
		content, complete := d.inspect(entry.Name())
		if complete {
			found = append(found, content)
			continue
		}
		if err := os.RemoveAll(filepath.Join(string(d), entry.Name())); err != nil {
			return nil, fmt.Errorf("removing unfinished content: %w", err)
		}
	}
	slices.SortStableFunc(found, func(a, b foundContent) int { return a.used.Compare(b.used) })
	return found, nil
}

// inspect returns the content in an entry of the directory, and whether the content is complete.
func (d contentDir) inspect(entry string) (foundContent, bool) {
	digest := strings.Replace(entry, "-", ":", 1)
	if !digestPattern.MatchString(digest) {
		return foundContent{}, false
	}
	path := filepath.Join(string(d), entry)
	info, err := os.Stat(path)
	if err != nil {
		return foundContent{}, false
	}
	recorded, err := os.ReadFile(filepath.Join(path, sizeName))
	if err != nil {
		return foundContent{}, false
	}
	bytes, err := diskUsage(filepath.Join(path, filesName))
	if err != nil || string(recorded) != strconv.FormatInt(bytes, 10) {
		return foundContent{}, false
	}
	origin, err := os.ReadFile(filepath.Join(path, originName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return foundContent{}, false
	}
	return foundContent{digest: digest, origin: string(origin), bytes: bytes, used: info.ModTime()}, true
}

func (d contentDir) path(digest string) string {
	return filepath.Join(string(d), strings.Replace(digest, ":", "-", 1))
}

// files returns the directory of a digest's files.
func (d contentDir) files(digest string) string { return filepath.Join(d.path(digest), filesName) }

// isIntact reports whether a digest's files exist and have their original size on disk. If they cannot be read, it returns true and an
// error.
func (d contentDir) isIntact(digest string, bytes int64) (bool, error) {
	found, err := diskUsage(d.files(digest))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return true, fmt.Errorf("reading content %s from disk: %w; check the disk of the content directory; the manager retries", digest, err)
	}
	return found == bytes, nil
}

func (d contentDir) isGone(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// begin creates a directory to fill, and the content directory if it was removed. unfinished is the path of the new directory, and files
// the path of the directory in it for the unpacked files.
func (d contentDir) begin() (unfinished, files string, err error) {
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return "", "", err
	}
	unfinished, err = os.MkdirTemp(string(d), unfinishedPrefix)
	if err != nil {
		return "", "", err
	}
	files = filepath.Join(unfinished, filesName)
	if err := os.Mkdir(files, 0o700); err != nil {
		_ = os.Remove(unfinished)
		return "", "", err
	}
	return unfinished, files, nil
}

// finish records the origin of the files, moves a filled directory to the place of its digest, and returns its size on disk.
func (d contentDir) finish(unfinished, digest, origin string) (int64, error) {
	bytes, err := diskUsage(filepath.Join(unfinished, filesName))
	if err != nil {
		return 0, err
	}
	if origin != "" {
		if err := os.WriteFile(filepath.Join(unfinished, originName), []byte(origin), 0o600); err != nil {
			return 0, err
		}
	}
	if err := os.WriteFile(filepath.Join(unfinished, sizeName), []byte(strconv.FormatInt(bytes, 10)), 0o600); err != nil {
		return 0, err
	}
	return bytes, os.Rename(unfinished, d.path(digest))
}

// evict moves a digest's directory into a new directory that is to be removed, and returns the path of the new directory.
func (d contentDir) evict(digest string) (string, error) {
	evicted, err := os.MkdirTemp(string(d), unfinishedPrefix)
	if err != nil {
		return "", err
	}
	if err := os.Rename(d.path(digest), filepath.Join(evicted, filesName)); err != nil {
		_ = os.Remove(evicted)
		return "", err
	}
	return evicted, nil
}

func (d contentDir) remove(path string) error { return os.RemoveAll(path) }

// touch records when content was used, so that the order of evictions survives a restart. It ignores errors, because only that order
// depends on it.
func (d contentDir) touch(digest string, now time.Time) { _ = os.Chtimes(d.path(digest), now, now) }

// diskUsage returns the size of a tree on disk, computed from the sizes of its entries: every file, directory and link in whole blocks, and
// a block for its name. It counts a file with several names once.
func diskUsage(root string) (int64, error) {
	const block = 4096
	var total int64
	linked := map[uint64]bool{}
	err := filepath.WalkDir(root, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		total += block
		if entry.IsDir() {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if file, ok := info.Sys().(*syscall.Stat_t); ok && file.Nlink > 1 {
			if linked[file.Ino] {
				return nil
			}
			linked[file.Ino] = true
		}
		total += (info.Size() + block - 1) / block * block
		return nil
	})
	return total, err
}
