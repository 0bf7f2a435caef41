package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/sync/singleflight"
)

// unfinishedPrefix marks directories that are being filled.
const unfinishedPrefix = ".unfinished-"

var digestPattern = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// Content is bundle content on disk, one directory a digest. It is safe for concurrent use within one process; the
// directory must not be shared by two.
type Content struct {
	dir    string
	flight singleflight.Group

	mu sync.Mutex
	// users counts by digest those who are using content, so that the last one can remove it.
	users map[string]int
}

// NewContent opens the store in a directory, which is created if it is missing, and removes what an earlier process left
// unfinished there.
func NewContent(dir string) (*Content, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("creating the content directory: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("reading the content directory: %w", err)
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), unfinishedPrefix) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, entry.Name())); err != nil {
			return nil, fmt.Errorf("removing unfinished content: %w", err)
		}
	}
	return &Content{dir: dir, users: map[string]int{}}, nil
}

// Open gives the content of a digest; false when it is not here. A link in the content that leads out of it cannot be
// opened.
func (c *Content) Open(digest string) (fs.FS, bool) {
	dir, err := c.path(digest)
	if err != nil {
		return nil, false
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, false
	}
	return confined(dir), true
}

// Add lets fill write the content of a digest into an empty directory and then keeps it; nothing is done when it is here
// already. Callers that want the same digest at the same time wait for one fill and share its error.
func (c *Content) Add(digest string, fill func(dir string) error) error {
	target, err := c.path(digest)
	if err != nil {
		return err
	}
	_, err, _ = c.flight.Do(digest, func() (any, error) {
		if _, err := os.Stat(target); err == nil {
			return nil, nil
		}
		return nil, c.fill(target, fill)
	})
	return err
}

// Use lets use read the content of a digest, which fill writes if it is not here, and removes the content when nobody uses
// it any more. Errors of fill and of use are returned as they are.
func (c *Content) Use(digest string, fill func(dir string) error, use func(files fs.FS) error) error {
	c.mu.Lock()
	c.users[digest]++
	c.mu.Unlock()
	err := c.Add(digest, fill)
	if err == nil {
		if files, ok := c.Open(digest); ok {
			err = use(files)
		} else {
			err = fmt.Errorf("reading content %q: it was removed from disk meanwhile", digest)
		}
	}
	// Removed under the lock: whoever wants the same content next fills it anew, and not into what is being removed.
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.users[digest]--; c.users[digest] > 0 {
		return err
	}
	delete(c.users, digest)
	if removeErr := c.Remove(digest); err == nil {
		return removeErr
	}
	return err
}

func (c *Content) fill(target string, fill func(dir string) error) (err error) {
	unfinished, err := os.MkdirTemp(c.dir, unfinishedPrefix)
	if err != nil {
		return fmt.Errorf("creating a directory for content: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(unfinished))
		}
	}()
	if err := fill(unfinished); err != nil {
		return err
	}
	if err := os.Rename(unfinished, target); err != nil {
		return fmt.Errorf("keeping content: %w", err)
	}
	return nil
}

// Remove forgets the content of a digest. Whoever has it open keeps the files that are open, and no others.
func (c *Content) Remove(digest string) error {
	target, err := c.path(digest)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(target); err != nil {
		return fmt.Errorf("removing content %q: %w", digest, err)
	}
	return nil
}

func (c *Content) path(digest string) (string, error) {
	if !digestPattern.MatchString(digest) {
		return "", fmt.Errorf("reading content digest %q: it is not sha256: and 64 hexadecimal digits", digest)
	}
	return filepath.Join(c.dir, strings.Replace(digest, ":", "-", 1)), nil
}

// confined is the tree below a directory, which no link can leave. It holds nothing open.
type confined string

func (c confined) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	file, err := os.OpenInRoot(string(c), filepath.FromSlash(name))
	if err != nil {
		// The error of os.OpenInRoot names a path relative to the root; nothing else of this machine is to be told.
		var at *fs.PathError
		if errors.As(err, &at) {
			err = at.Err
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return file, nil
}
