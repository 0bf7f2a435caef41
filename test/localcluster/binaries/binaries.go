// Package binaries provides the programs and manifests of a local cluster: one multi-call binary with every Kubernetes program, and
// manifests of other projects. Both come from Go modules and are cached by version. The package starts no cluster.
package binaries

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/openshift/platform-operators/test/localcluster/process"
)

// keepUnused is the time for which an unused cache entry is kept. An entry takes almost 200 MB, and every change to go.mod creates a new
// entry.
const keepUnused = 14 * 24 * time.Hour

// Manifest is a file of another project's module, with its name in the cache.
type Manifest struct {
	Module string // module path, required by go.mod
	Path   string // slash-separated path of the file inside the module
	Name   string // file name in the cache
}

// Source holds everything from which the programs and manifests are made. It holds the contents of files instead of paths, so that a copy
// of this program elsewhere builds the same servers.
type Source struct {
	Files     map[string][]byte // slash-separated path to content: go.mod, go.sum and the package ./servers
	Manifests []Manifest
}

// Cache is the cache entry of one Source.
type Cache struct {
	dir     string
	version string
	source  Source
	out     io.Writer
}

// Open returns the cache entry of src below root, and builds nothing. Methods of the entry write lines of progress to out. Open returns an
// error if go.mod has no release version of Kubernetes.
func Open(root string, src Source, out io.Writer) (*Cache, error) {
	version, err := kubernetesVersion(src.Files["go.mod"])
	if err != nil {
		return nil, err
	}
	return &Cache{
		dir:     filepath.Join(root, version+"-"+key(version, src)),
		version: version,
		source:  src,
		out:     out,
	}, nil
}

// Dir returns the directory of the entry. It exists after a call to Servers or Manifests.
func (c *Cache) Dir() string { return c.dir }

// Version returns the Kubernetes version of the servers, such as "v1.36.3".
func (c *Cache) Version() string { return c.version }

// Servers returns the path of the multi-call binary. If the binary is not in the cache, Servers builds it, which takes minutes.
func (c *Cache) Servers(ctx context.Context) (string, error) {
	path := filepath.Join(c.dir, "servers")
	return path, c.ensure(ctx, path, c.build)
}

// Manifests returns the directory that contains the Source's manifests, each under its Name. It downloads them if they are not in the
// cache.
func (c *Cache) Manifests(ctx context.Context) (string, error) {
	path := filepath.Join(c.dir, "manifests")
	return path, c.ensure(ctx, path, c.copyManifests)
}

// ensure makes sure that path exists. If it does, ensure only marks the entry as used. Otherwise ensure calls produce with a temporary name
// and renames the result to path. A lock keeps two processes from compiling Kubernetes at the same time.
func (c *Cache) ensure(ctx context.Context, path string, produce func(ctx context.Context, src, target string) error) error {
	now := time.Now()
	if _, err := os.Stat(path); err == nil {
		// The modification time marks the entry as used. The error is ignored because a read-only cache is also valid.
		_ = os.Chtimes(c.dir, now, now)
		return nil
	}
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return fmt.Errorf("creating the cache directory: %w", err)
	}
	lock, err := c.lock(ctx)
	if err != nil {
		return err
	}
	defer lock.Release()
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	src, err := c.writeSource()
	if err != nil {
		return err
	}
	target := path + ".partial"
	if err := os.RemoveAll(target); err != nil {
		return fmt.Errorf("clearing what an interrupted build left behind: %w", err)
	}
	if err := produce(ctx, src, target); err != nil {
		return err
	}
	if err := os.Rename(target, path); err != nil {
		return fmt.Errorf("putting %q in place: %w", path, err)
	}
	return prune(filepath.Dir(c.dir), c.dir, now)
}

func (c *Cache) lock(ctx context.Context) (*process.Lock, error) {
	path := filepath.Join(c.dir, "lock")
	lock, err := process.TryLock(path)
	if errors.Is(err, process.ErrLocked) {
		fmt.Fprintf(c.out, "waiting for another build in %s\n", c.dir)
		lock, err = process.WaitLock(ctx, path)
	}
	if err != nil {
		return nil, fmt.Errorf("locking the cache entry: %w", err)
	}
	return lock, nil
}

func (c *Cache) writeSource() (string, error) {
	dir := filepath.Join(c.dir, "src")
	for name, content := range c.source.Files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", fmt.Errorf("writing the servers' source: %w", err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return "", fmt.Errorf("writing the servers' source: %w", err)
		}
	}
	return dir, nil
}

var kubernetesRequirement = regexp.MustCompile(`(?m)^\s*(?:require\s+)?k8s\.io/kubernetes\s+(v1\.\d+\.\d+)\s*$`)

func kubernetesVersion(goMod []byte) (string, error) {
	match := kubernetesRequirement.FindSubmatch(goMod)
	if match == nil {
		return "", errors.New("reading go.mod: no requirement of k8s.io/kubernetes with a release version; the servers' version is taken from there")
	}
	return string(match[1]), nil
}

// key returns a hash of everything that determines the content of an entry: the source, the manifests, the compiler, its flags and the
// target.
func key(version string, src Source) string {
	hash := sha256.New()
	names := make([]string, 0, len(src.Files))
	for name := range src.Files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(hash, "%s %d\n%s", name, len(src.Files[name]), src.Files[name])
	}
	for _, m := range src.Manifests {
		fmt.Fprintf(hash, "%q %q %q\n", m.Module, m.Path, m.Name)
	}
	fmt.Fprintln(hash, runtime.Version(), runtime.GOOS, runtime.GOARCH, linkerFlags(version))
	return hex.EncodeToString(hash.Sum(nil))[:12]
}

// prune removes all entries below root that have not been used for keepUnused, except keep. It skips directories that are not entries, and
// entries that a process is building.
func prune(root, keep string, now time.Time) error {
	entries, err := os.ReadDir(root)
	if err != nil {
		return fmt.Errorf("looking for old cache entries: %w", err)
	}
	for _, entry := range entries {
		path := filepath.Join(root, entry.Name())
		info, err := entry.Info()
		if err != nil || !entry.IsDir() || path == keep || !strings.HasPrefix(entry.Name(), "v1.") || now.Sub(info.ModTime()) < keepUnused {
			continue
		}
		lock, err := process.TryLock(filepath.Join(path, "lock"))
		if err != nil {
			continue
		}
		err = os.RemoveAll(path)
		lock.Release()
		if err != nil {
			return fmt.Errorf("removing the old cache entry %q: %w", path, err)
		}
	}
	return nil
}
