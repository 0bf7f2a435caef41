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

// cacheBuildLock is held during operator-registry's cache builds. Each build sets and restores the umask of the process, so two concurrent
// builds could leave it at zero.
var cacheBuildLock sync.Mutex

// generation is one version of the content, which both APIs can serve. Its content is immutable.
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

// nextModified returns the current time in whole seconds, or one second after previous if that is later. Without the extra second, a client
// with If-Modified-Since could miss the second of two updates in one second.
func nextModified(previous time.Time) time.Time {
	now := time.Now().UTC().Truncate(time.Second)
	if now.After(previous) {
		return now
	}
	return previous.Add(time.Second)
}

func (g *generation) buildCache(ctx context.Context) error {
	cacheBuildLock.Lock()
	defer cacheBuildLock.Unlock()
	// The directory may contain files left by a process that was killed.
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
	return os.RemoveAll(filepath.Join(g.dir, "fbc")) // the cache contains a copy
}

func (g *generation) close() {
	if g.cache != nil {
		_ = g.cache.Close()
	}
	_ = os.RemoveAll(g.dir)
}

// currentGeneration holds the generation that is being served. Readers acquire a generation. Its files are removed once it has been
// replaced and the last reader has released it.
type currentGeneration struct {
	lock    sync.Mutex
	current *generation
	retired sync.WaitGroup
}

// acquire returns the current generation and a function that releases it. Before the first replace and after Close, it returns an empty
// generation.
func (l *currentGeneration) acquire() (*generation, func()) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.current == nil {
		return &generation{}, func() {}
	}
	l.current.users.Add(1)
	return l.current, l.current.users.Done
}

func (l *currentGeneration) replace(next *generation) {
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

func (l *currentGeneration) modified() time.Time {
	current, release := l.acquire()
	defer release()
	return current.modified
}
