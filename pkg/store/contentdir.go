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
	// unfinishedPrefix marks directories that are being filled or removed.
	unfinishedPrefix = ".unfinished-"
	// filesName is the directory of the files, and sizeName the file with what they take on disk, below a digest's
	// directory. After a power failure files may be there that are shorter than they were; the size tells.
	filesName, sizeName = "files", "size"
)

// contentDir is the layout of Content on disk, and nothing that is held in memory.
type contentDir string

// foundContent is complete content that was on disk when it was opened.
type foundContent struct {
	digest string
	bytes  int64
	used   time.Time
}

// open gives what is complete, the least recently used first, and removes the rest.
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
		content, complete := d.look(entry.Name())
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

// look says what an entry of the directory holds, and whether it is whole.
func (d contentDir) look(entry string) (foundContent, bool) {
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
	return foundContent{digest: digest, bytes: bytes, used: info.ModTime()}, true
}

func (d contentDir) path(digest string) string {
	return filepath.Join(string(d), strings.Replace(digest, ":", "-", 1))
}

// files is the directory of a digest's files.
func (d contentDir) files(digest string) string { return filepath.Join(d.path(digest), filesName) }

// isWhole says whether a digest's files are there and take as much of the disk as when they were written. An error says
// that they could not be looked at.
func (d contentDir) isWhole(digest string, bytes int64) (bool, error) {
	found, err := diskUsage(d.files(digest))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return true, fmt.Errorf("looking at content %s on disk: %w", digest, err)
	}
	return found == bytes, nil
}

func (d contentDir) isGone(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// begin makes a directory to fill, and the one that it is in where somebody has removed that.
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

// finish gives a filled directory its name and says what it takes on disk.
func (d contentDir) finish(unfinished, digest string) (int64, error) {
	bytes, err := diskUsage(filepath.Join(unfinished, filesName))
	if err != nil {
		return 0, err
	}
	if err := os.WriteFile(filepath.Join(unfinished, sizeName), []byte(strconv.FormatInt(bytes, 10)), 0o600); err != nil {
		return 0, err
	}
	return bytes, os.Rename(unfinished, d.path(digest))
}

// doom puts a digest's directory into one that is to be removed, and gives that.
func (d contentDir) doom(digest string) (string, error) {
	doomed, err := os.MkdirTemp(string(d), unfinishedPrefix)
	if err != nil {
		return "", err
	}
	if err := os.Rename(d.path(digest), filepath.Join(doomed, filesName)); err != nil {
		_ = os.Remove(doomed)
		return "", err
	}
	return doomed, nil
}

func (d contentDir) remove(path string) error { return os.RemoveAll(path) }

// touch records when content was used, for the process after this one. That it cannot is no fault: the order would be
// another one.
func (d contentDir) touch(digest string, now time.Time) { _ = os.Chtimes(d.path(digest), now, now) }

// diskUsage is what a tree takes on disk, as far as its own sizes tell: every file, directory and link in whole blocks, and
// a block for its name; a file of several names is there once.
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
