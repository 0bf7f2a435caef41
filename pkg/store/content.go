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

	"github.com/openshift/platform-operators/pkg/source"
)

var digestPattern = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

const (
	// maxReaders is how many read content at once. What a bundle is parsed and rendered to takes many times what its files
	// do, hundreds of MiB in the worst case, so that memory is bounded by this, however many are fetched.
	maxReaders = 2
	// maxReads is how often content is read for one Use that somebody removes meanwhile.
	maxReads = 2
)

// ContentConfig is what Content is built from; every field is required.
type ContentConfig struct {
	// Dir is a directory of its own; it is created if it is missing. What is in it and is not content is removed.
	Dir string
	// Budget is how many bytes may be in it at any time, counted in whole blocks, half-written content included.
	Budget int64
	Clock  clock.PassiveClock
}

// Content is bundle content on disk, one directory a digest, within a budget. Whatever is wanted twice is fetched and stored
// once, also by those who ask one after the other; where room is needed, what was not used for the longest time goes, and
// never what is in use. Somebody else may empty the directory at any time: what was not whole before and after it was read
// is fetched and read again.
//
// It is safe for concurrent use within one process; the directory must not be shared by two.
type Content struct {
	dir    contentDir
	budget int64
	clock  clock.PassiveClock
	// reading has a place for each who reads.
	reading chan struct{}

	mu sync.Mutex
	// kept is what is complete, by digest, and fills what is being written.
	kept  map[string]*keptContent
	fills map[string]*contentFill
	// doomed is what has been thrown out and is still on disk, with its size.
	doomed map[string]int64
	// uses counts up; what is used gets the count.
	uses int64
}

// keptContent is content that is complete.
type keptContent struct {
	bytes int64
	// lastUse orders by age, users counts who is reading.
	lastUse int64
	users   int
}

// contentFill is content that is being written. It belongs to all who wait for it, and ends when the last of them leaves.
type contentFill struct {
	done    chan struct{}
	cancel  context.CancelFunc
	waiters int
	bytes   int64
	// kept is what came of it, or err why nothing did.
	kept *keptContent
	err  error
}

// Room is the place that a fill writes to.
type Room struct {
	// Dir is an empty directory.
	Dir string

	content *Content
	fill    *contentFill
}

// NewContent opens the store. What an earlier process left half written or half removed is removed; what is complete counts
// against the budget from the start.
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
		kept: map[string]*keptContent{}, fills: map[string]*contentFill{}, doomed: map[string]int64{},
	}
	for _, each := range found {
		c.uses++
		c.kept[each.digest] = &keptContent{bytes: each.bytes, lastUse: c.uses}
	}
	c.makeRoom(0)
	return c, nil
}

// Use lets use read the content of a digest, which fill writes first if it is not here. Content that is in use is not
// removed. Errors of fill and of use are returned as they are; IsDiskFault tells of the latter whose fault they are. Two at
// most read at once; so use must not take long, nor use content itself. It is called a second time when somebody removed what
// it read.
//
// Those who want the same digest at the same time wait for one fill, which goes on until the last of them has left. If it
// fails, each of the others tries with a fill of its own: theirs may come from elsewhere, or with other credentials.
func (c *Content) Use(ctx context.Context, digest string, fill func(context.Context, *Room) error, use func(files fs.FS) error) error {
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
	return fmt.Errorf("reading content %s: files of it were removed from the content directory while they were read; it is tried again", digest)
}

// read lets use read content, and says whether it was whole all the time, so that what use made of it counts. The caller is
// no user of the content any more.
func (c *Content) read(ctx context.Context, digest string, found *keptContent, use func(files fs.FS) error) (whole bool, err error) {
	whole = true // nobody is to lose it by a context that ends, or by a panic
	defer func() { whole = c.release(digest, found, whole) }()
	select {
	case c.reading <- struct{}{}:
		defer func() { <-c.reading }()
	case <-ctx.Done():
		return true, ctx.Err()
	}
	if whole, err = c.dir.isWhole(digest, found.bytes); !whole || err != nil {
		return whole, err
	}
	err = use(confined(c.dir.files(digest)))
	stillWhole, fault := c.dir.isWhole(digest, found.bytes)
	if fault != nil {
		return true, fault
	}
	if IsDiskFault(err) {
		err = fmt.Errorf("reading content %s from disk: %w; see to the disk that the content directory is on, it is tried again", digest, err)
	}
	return stillWhole, err
}

// Bytes is how much of the disk is taken now.
func (c *Content) Bytes() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes()
}

// acquire makes the caller a user of the content.
func (c *Content) acquire(ctx context.Context, digest string, fill func(context.Context, *Room) error) (*keptContent, error) {
	for {
		c.mu.Lock()
		if found := c.kept[digest]; found != nil {
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
			return running.kept, nil
		}
		if !joined || ctx.Err() != nil {
			return nil, err
		}
	}
}

// begin starts a fill, which outlives the caller as long as others wait for it. The caller holds mu.
func (c *Content) begin(ctx context.Context, digest string, fill func(context.Context, *Room) error) *contentFill {
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
			// All who waited are users from now on, so that it is not thrown out before they have seen it.
			running.kept = &keptContent{bytes: running.bytes, lastUse: c.uses, users: running.waiters}
			c.kept[digest] = running.kept
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
	case <-running.done: // it was faster after all, and the caller is a user
		return running.err
	default:
	}
	if running.waiters--; running.waiters == 0 {
		running.cancel()
	}
	return ctx.Err()
}

func (c *Content) write(ctx context.Context, digest string, running *contentFill, fill func(context.Context, *Room) error) (err error) {
	unfinished, files, err := c.dir.begin()
	if err != nil {
		return fmt.Errorf("creating a directory for content: %w; see to the disk that the content directory is on, it is tried again", err)
	}
	defer func() {
		if err != nil {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.doomed[unfinished], running.bytes = running.bytes, 0
			c.removeDoomed()
		}
	}()
	err = source.Guard("fetching content "+digest, func() error {
		return fill(ctx, &Room{Dir: files, content: c, fill: running})
	})
	if err != nil && c.dir.isGone(files) {
		return errors.New("fetching content: the content directory was emptied meanwhile; it is tried again")
	}
	if err != nil {
		return err
	}
	bytes, err := c.dir.finish(unfinished, digest)
	if err != nil {
		return fmt.Errorf("keeping content: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	running.bytes = bytes
	c.makeRoom(0) // a fill that did not ask for all that it took
	return nil
}

// Take asks for so many bytes before they are written. What is not in use makes room for them; when that is not enough
// they must not be written.
func (r *Room) Take(bytes int64) error {
	r.content.mu.Lock()
	defer r.content.mu.Unlock()
	if !r.content.makeRoom(bytes) {
		return fmt.Errorf("the content directory may hold %d bytes, and %d are taken by content that is in use", r.content.budget, r.content.bytes())
	}
	r.fill.bytes += bytes
	return nil
}

// release ends a use, and says whether the content was the same, and whole, all the time. What is not whole is forgotten, and
// what is left of it removed; who reads it now finds out afterwards.
func (c *Content) release(digest string, found *keptContent, whole bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.uses++
	found.users--
	found.lastUse = c.uses
	if c.kept[digest] != found {
		return false // another user has found that it is not whole
	}
	if whole {
		c.dir.touch(digest, c.clock.Now())
	} else {
		c.throwOut(digest)
		c.removeDoomed()
	}
	c.makeRoom(0)
	return whole
}

// bytes is what is on disk. The caller holds mu.
func (c *Content) bytes() int64 {
	var total int64
	for _, each := range c.kept {
		total += each.bytes
	}
	for _, each := range c.fills {
		total += each.bytes
	}
	for _, bytes := range c.doomed {
		total += bytes
	}
	return total
}

// makeRoom throws out what was not used for the longest time until so many bytes more are within the budget, and says
// whether they are. Removing holds everybody up for the moment that it takes: who needs room cannot go on without it, and
// nobody else waits for long. The caller holds mu, unless nobody else has the store yet.
func (c *Content) makeRoom(bytes int64) bool {
	for c.bytes()+bytes > c.budget {
		oldest := ""
		for digest, each := range c.kept {
			if each.users == 0 && (oldest == "" || each.lastUse < c.kept[oldest].lastUse) {
				oldest = digest
			}
		}
		thrown := oldest != "" && c.throwOut(oldest)
		if freed := c.removeDoomed(); !freed && !thrown {
			return false
		}
	}
	return true
}

// throwOut takes content out of what is kept, and says whether that could be done. What is left of it is doomed.
func (c *Content) throwOut(digest string) bool {
	// It loses its name at once, so that a crash in the middle leaves nothing that looks complete.
	doomed, err := c.dir.doom(digest)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err == nil {
		c.doomed[doomed] = c.kept[digest].bytes
	}
	delete(c.kept, digest)
	return true
}

// removeDoomed removes what has been thrown out, and says whether any of it is gone.
func (c *Content) removeDoomed() bool {
	freed := false
	for doomed := range c.doomed {
		if c.dir.remove(doomed) == nil {
			delete(c.doomed, doomed)
			freed = true
		}
	}
	return freed
}

// confined is the tree below a directory, which no link can leave. It holds nothing open.
type confined string

// Open opens a file.
func (c confined) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	file, err := os.OpenInRoot(string(c), filepath.FromSlash(name))
	if err != nil {
		// The error of opening names a path relative to the root; nothing else of this machine is to be told.
		var at *fs.PathError
		if errors.As(err, &at) {
			err = at.Err
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return file, nil
}
