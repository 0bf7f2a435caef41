package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/panics"
	"github.com/openshift/platform-operators/pkg/source"
)

var digestPattern = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

const (
	// maxReaders is the maximum number of concurrent readers. A parsed and rendered bundle takes many times the memory of its files,
	// hundreds of MiB in the worst case. So maxReaders limits memory, regardless of the number of fetches.
	maxReaders = 2
	// maxReads is the maximum number of times that one call of Use reads content, if the content is removed during a read.
	maxReads = 2
)

// ContentConfig holds the settings of Content. Every field is required.
type ContentConfig struct {
	// Dir is a directory that nothing else uses. NewContent creates it if it is missing, and removes entries that are not content.
	Dir string
	// Budget is the maximum size of Dir at any time, in bytes. It includes unfinished content, and is computed from whole blocks.
	Budget int64
	Clock  clock.PassiveClock
}

// Content is bundle content on disk, one directory for each digest, within a budget. The content for one digest is fetched and stored once.
// If new content needs space, the least recently used content is evicted, but never content that is in use. Other processes may empty the
// directory at any time. Content that is not complete both before and after it is read is fetched and read again.
//
// It is safe for concurrent use within one process. Two processes must not share the directory.
type Content struct {
	dir    contentDir
	budget int64
	clock  clock.PassiveClock
	// reading has a slot for each reader.
	reading chan struct{}

	mu sync.Mutex
	// complete holds the content that can be read, and fills holds the content that is being written. Both are keyed by digest.
	complete map[string]*completeContent
	fills    map[string]*contentFill
	// evicted holds the sizes of evicted directories that are not yet removed from disk, in bytes, keyed by path.
	evicted map[string]int64
	// uses is the number of uses so far. It orders content by its last use.
	uses int64
}

// Fill writes the files of a digest to a target, and returns a line about their origin, for later readers; it may be empty.
type Fill func(ctx context.Context, to source.Target) (origin string, err error)

// completeContent is content that can be read.
type completeContent struct {
	bytes int64
	// origin is the line about its origin.
	origin string
	// lastUse is the value of Content.uses at the last use. users is the number of readers.
	lastUse int64
	users   int
}

// contentFill is content that is being written. It belongs to all callers that wait for it, and is canceled when the last of them leaves.
type contentFill struct {
	done    chan struct{}
	cancel  context.CancelFunc
	waiters int
	bytes   int64
	origin  string
	// complete is the content after a successful fill. After a failed fill, err is the cause.
	complete *completeContent
	err      error
}

// NewContent opens the store. It removes data that an earlier process left unfinished or partly removed. Complete content counts toward the
// budget.
func NewContent(config ContentConfig) (*Content, error) {
	if config.Dir == "" || config.Budget <= 0 || config.Clock == nil {
		return nil, errors.New("opening the content directory: a field of its ContentConfig is not set")
	}
	found, err := contentDir(config.Dir).open()
	if err != nil {
		return nil, fmt.Errorf("opening the content directory: %w", err)
	}
	c := &Content{
		dir: contentDir(config.Dir), budget: config.Budget, clock: config.Clock, reading: make(chan struct{}, maxReaders),
		complete: map[string]*completeContent{}, fills: map[string]*contentFill{}, evicted: map[string]int64{},
	}
	for _, each := range found {
		c.uses++
		c.complete[each.digest] = &completeContent{bytes: each.bytes, origin: each.origin, lastUse: c.uses}
	}
	c.evictFor(0)
	return c, nil
}

// Use calls use with the files of a digest, and the line about their origin. If they are not stored, fill writes them first. Use returns
// errors of fill and of use unchanged, except that it adds a remedy to a disk error of use, which IsDiskError recognizes. At most two callers
// read at once, so use must not take long and must not call Use. Use calls use a second time if the content was removed while it was read.
//
// Callers that need the same digest at the same time wait for one fill, which continues until the last of them has left. If this fill
// fails, each of the other callers tries its own fill, which may have a different source or different credentials.
func (c *Content) Use(ctx context.Context, digest string, fill Fill, use func(files fs.FS, origin string) error) error {
	if !digestPattern.MatchString(digest) {
		return fmt.Errorf("reading content digest %q: it is not sha256: and 64 hexadecimal digits", digest)
	}
	for range maxReads {
		found, err := c.acquire(ctx, digest, fill)
		if err != nil {
			return err
		}
		if whole, err := c.read(ctx, digest, found, use); whole {
			return err
		}
	}
	return fmt.Errorf("reading content %s: files of it were removed from the content directory while they were read; the manager retries", digest)
}

// read calls use with content. intact reports whether the content was complete all the time, so that the result of use is valid. When read
// returns, the caller is no longer a user of the content.
func (c *Content) read(ctx context.Context, digest string, found *completeContent, use func(files fs.FS, origin string) error) (intact bool, err error) {
	intact = true // a context that ends, or a panic, is no reason to evict the content
	defer func() { intact = c.release(digest, found, intact) }()
	select {
	case c.reading <- struct{}{}:
		defer func() { <-c.reading }()
	case <-ctx.Done():
		return true, ctx.Err()
	}
	if intact, err = c.dir.isIntact(digest, found.bytes); !intact || err != nil {
		return intact, err
	}
	err = use(rootedFS(c.dir.files(digest)), found.origin)
	stillIntact, fault := c.dir.isIntact(digest, found.bytes)
	if fault != nil {
		return true, fault
	}
	if IsDiskError(err) {
		err = fmt.Errorf("reading content %s from disk: %w; check the disk of the content directory; the manager retries", digest, err)
	}
	return stillIntact, err
}

// Origin returns the origin that the fill of a digest returned. isStored is false if the content is not stored.
func (c *Content) Origin(digest string) (origin string, isStored bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.complete[digest]
	if found == nil {
		return "", false
	}
	return found.origin, true
}

// Evict removes the files of a digest if they have this origin. Those who read them meanwhile read again.
func (c *Content) Evict(digest, origin string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if found := c.complete[digest]; found != nil && found.origin == origin && c.evict(digest) {
		c.removeEvicted()
	}
}

// Bytes returns the size of everything on disk, including unfinished content and evicted content that is not yet removed.
func (c *Content) Bytes() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes()
}

// acquire returns the content of a digest, and registers the caller as a user of the content. It fills the content if it is not stored. The
// caller must call release.
func (c *Content) acquire(ctx context.Context, digest string, fill Fill) (*completeContent, error) {
	for {
		c.mu.Lock()
		if found := c.complete[digest]; found != nil {
			found.users++
			c.mu.Unlock()
			return found, nil
		}
		running, joined := c.fills[digest]
		if !joined {
			running = c.begin(ctx, digest, fill)
		}
		running.waiters++
		c.mu.Unlock()
		err := c.wait(ctx, running)
		if err == nil {
			return running.complete, nil
		}
		if !joined || ctx.Err() != nil {
			return nil, err
		}
	}
}

// begin starts a fill, which continues without the caller as long as others wait for it. The caller holds mu.
func (c *Content) begin(ctx context.Context, digest string, fill Fill) *contentFill {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	running := &contentFill{done: make(chan struct{}), cancel: cancel}
	c.fills[digest] = running
	go func() {
		defer cancel()
		err := c.write(ctx, digest, running, fill)
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.fills, digest)
		if running.err = err; err == nil {
			c.uses++
			// All waiting callers are users from now on, so that the content is not evicted before they read it.
			running.complete = &completeContent{bytes: running.bytes, origin: running.origin, lastUse: c.uses, users: running.waiters}
			c.complete[digest] = running.complete
		}
		close(running.done)
	}()
	return running
}

// wait waits for a fill, or until the caller's context ends.
func (c *Content) wait(ctx context.Context, running *contentFill) error {
	select {
	case <-running.done:
		return running.err
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-running.done: // the fill has just ended, and the caller is a user
		return running.err
	default:
	}
	if running.waiters--; running.waiters == 0 {
		running.cancel()
	}
	return ctx.Err()
}

func (c *Content) write(ctx context.Context, digest string, running *contentFill, fill Fill) (err error) {
	unfinished, files, err := c.dir.begin()
	if err != nil {
		return fmt.Errorf("creating a directory for content: %w; check the disk of the content directory; the manager retries", err)
	}
	defer func() {
		if err != nil {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.evicted[unfinished], running.bytes = running.bytes, 0
			c.removeEvicted()
		}
	}()
	var origin string
	err = panics.ToError("fetching content "+digest, func() (err error) {
		origin, err = fill(ctx, source.Target{Dir: files, Reserve: func(bytes int64) error { return c.reserve(running, bytes) }})
		return err
	})
	if err != nil && c.dir.isGone(files) {
		return errors.New("fetching content: the content directory was emptied meanwhile; the manager retries")
	}
	if err != nil {
		return err
	}
	bytes, err := c.dir.finish(unfinished, digest, origin)
	if err != nil {
		return fmt.Errorf("storing content %s: %w; check the disk of the content directory; the manager retries", digest, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	running.bytes, running.origin = bytes, origin
	c.evictFor(0) // a fill may have reserved less than it wrote
	return nil
}

// reserve reserves bytes for a fill before they are written. It evicts content that is not in use; if that is not enough, it returns an error.
func (c *Content) reserve(by *contentFill, bytes int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.evictFor(bytes) {
		// The text becomes part of a condition, so it must not contain numbers that differ between attempts.
		return fmt.Errorf("the content directory is limited to %d bytes, and too few are free for this content; raise the manager's "+
			"--content-budget; the manager retries", c.budget)
	}
	by.bytes += bytes
	return nil
}

// release ends a use. It reports whether the content was the same, and complete, during the whole use. It evicts incomplete content; other
// readers of the content notice that when they release it.
func (c *Content) release(digest string, found *completeContent, intact bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.uses++
	found.users--
	found.lastUse = c.uses
	if c.complete[digest] != found {
		return false // another user found that it is incomplete
	}
	if intact {
		c.dir.touch(digest, c.clock.Now())
	} else {
		c.evict(digest)
		c.removeEvicted()
	}
	c.evictFor(0)
	return intact
}

// bytes returns the size of everything on disk. The caller holds mu.
func (c *Content) bytes() int64 {
	var total int64
	for _, each := range c.complete {
		total += each.bytes
	}
	for _, each := range c.fills {
		total += each.bytes
	}
	for _, bytes := range c.evicted {
		total += bytes
	}
	return total
}

// evictFor evicts the least recently used content until the given number of additional bytes fits into the budget. It reports whether they
// fit. It removes files while it holds the lock: a fill that needs the bytes cannot go on, and other callers wait only for a moment. The
// caller holds mu, unless nothing else uses the store yet.
func (c *Content) evictFor(bytes int64) bool {
	for c.bytes()+bytes > c.budget {
		oldest := ""
		for digest, each := range c.complete {
			if each.users == 0 && (oldest == "" || each.lastUse < c.complete[oldest].lastUse) {
				oldest = digest
			}
		}
		wasEvicted := oldest != "" && c.evict(oldest)
		if isFreed := c.removeEvicted(); !isFreed && !wasEvicted {
			return false
		}
	}
	return true
}

// evict makes content unreadable, and reports whether that was possible. The content's files count toward the budget until removeEvicted
// removes them.
func (c *Content) evict(digest string) bool {
	// The directory is renamed first, so that a crash during the removal leaves nothing that looks complete.
	evicted, err := c.dir.evict(digest)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err == nil {
		c.evicted[evicted] = c.complete[digest].bytes
	}
	delete(c.complete, digest)
	return true
}

// removeEvicted removes the files of evicted content, and reports whether it removed any.
func (c *Content) removeEvicted() bool {
	removed := false
	for evicted := range c.evicted {
		if c.dir.remove(evicted) == nil {
			delete(c.evicted, evicted)
			removed = true
		}
	}
	return removed
}

// rootedFS is the file tree below a directory, which no link can leave. It holds no open file.
type rootedFS string

// Open opens a file.
func (c rootedFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	file, err := os.OpenInRoot(string(c), filepath.FromSlash(name))
	if err != nil {
		// The error must not contain the path of the content directory.
		var at *fs.PathError
		if errors.As(err, &at) {
			err = at.Err
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return file, nil
}
