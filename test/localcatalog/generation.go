package localcatalog

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/operator-framework/operator-registry/alpha/declcfg"
	"github.com/operator-framework/operator-registry/pkg/cache"
)

// building serializes operator-registry's cache builds: each sets the process's umask and puts back what it found, so
// that two at once could leave it at zero.
var building sync.Mutex

// generation is one content, ready to be served over both protocols. It never changes.
type generation struct {
	metas    []*declcfg.Meta
	all      []byte // JSON lines
	digest   string
	modified time.Time
	cache    cache.Cache
	dir      string
	users    sync.WaitGroup
}

func newGeneration(ctx context.Context, metas []*declcfg.Meta, dir string, previous time.Time) (*generation, error) {
	g := &generation{metas: metas, dir: dir, modified: nextModified(previous)}
	var all bytes.Buffer
	for _, meta := range metas {
		all.Write(meta.Blob)
	}
	g.all = all.Bytes()
	g.digest = fmt.Sprintf("sha256:%x", sha256.Sum256(g.all))
	if err := g.buildCache(ctx); err != nil {
		g.close()
		return nil, fmt.Errorf("building operator-registry's cache: %w", err)
	}
	return g, nil
}

// nextModified is now in HTTP's whole seconds, and always later than the content before: two updates within a second
// would otherwise be one to a client that asks If-Modified-Since, which is catalogd's weakness but no use in a test.
func nextModified(previous time.Time) time.Time {
	now := time.Now().UTC().Truncate(time.Second)
	if now.After(previous) {
		return now
	}
	return previous.Add(time.Second)
}

func (g *generation) buildCache(ctx context.Context) error {
	building.Lock()
	defer building.Unlock()
	// Also what a process that was killed has left in a directory of its own choice.
	if err := os.RemoveAll(g.dir); err != nil {
		return err
	}
	tree, err := writeTree(filepath.Join(g.dir, "fbc"), g.metas)
	if err != nil {
		return err
	}
	if g.cache, err = cache.New(filepath.Join(g.dir, "cache")); err != nil {
		return err
	}
	if err := g.cache.Build(ctx, tree); err != nil {
		return err
	}
	if err := g.cache.Load(ctx); err != nil {
		return err
	}
	return os.RemoveAll(filepath.Join(g.dir, "fbc")) // the cache has it all
}

func (g *generation) close() {
	if g.cache != nil {
		_ = g.cache.Close()
	}
	_ = os.RemoveAll(g.dir)
}

// live holds the generation that is served now. Who reads from it acquires it, so that its files stay until the last
// reader of an old generation is done, however slow.
type live struct {
	lock    sync.Mutex
	current *generation
	retired sync.WaitGroup
}

// acquire returns the present generation (an empty one before the first and once closed) and what to call when done.
func (l *live) acquire() (*generation, func()) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.current == nil {
		return &generation{}, func() {}
	}
	l.current.users.Add(1)
	return l.current, l.current.users.Done
}

func (l *live) replace(next *generation) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if old := l.current; old != nil {
		l.retired.Go(func() {
			old.users.Wait()
			old.close()
		})
	}
	l.current = next
}

func (l *live) modified() time.Time {
	current, release := l.acquire()
	defer release()
	return current.modified
}
