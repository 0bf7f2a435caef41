// Package binaries makes what a local cluster is started from: one multi-call binary with every Kubernetes program, and
// the manifests other projects ship, both taken from Go modules and kept in a cache directory by version. It knows the
// go command and the file system; it does not know what a cluster is. The launcher's commands call it before they start one.
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

// keepUnused is how long a cache entry nobody asked for survives: an entry is close to 200 MB, and every change of
// go.mod makes a new one.
const keepUnused = 14 * 24 * time.Hour

// Manifest is one file of another project's module, under the name it has in the cache.
type Manifest struct {
	Module string // module path, required by go.mod
	Path   string // slash-separated path of the file inside the module
	Name   string // file name in the cache
}

// Source is everything the result depends on. It is data rather than a path so that a launcher that was copied
// elsewhere still builds the very servers it was compiled for.
type Source struct {
	Files     map[string][]byte // slash-separated path to content: go.mod, go.sum and the package ./servers
	Manifests []Manifest
}

// Cache holds the results of one Source.
type Cache struct {
	dir     string
	version string
	source  Source
	out     io.Writer
}

// Open finds the cache entry of src below root; nothing is built yet. Progress goes to out, one line at a time.
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

// Dir is the entry's directory; it exists after Servers or Manifests.
func (c *Cache) Dir() string { return c.dir }

// Version is the Kubernetes version the servers have, such as "v1.36.3".
func (c *Cache) Version() string { return c.version }

// Servers returns the path of the multi-call binary and builds it when the cache does not have it, which takes minutes.
func (c *Cache) Servers(ctx context.Context) (string, error) {
	path := filepath.Join(c.dir, "servers")
	return path, c.ensure(ctx, path, c.build)
}

// Manifests returns the directory with every manifest of the Source under its Name, and fetches them when needed.
func (c *Cache) Manifests(ctx context.Context) (string, error) {
	path := filepath.Join(c.dir, "manifests")
	return path, c.ensure(ctx, path, c.copyManifests)
}

// ensure makes path by calling produce with a temporary name that is renamed when it succeeded, under a lock that other
// processes respect: two test suites started together must not compile Kubernetes twice.
func (c *Cache) ensure(ctx context.Context, path string, produce func(ctx context.Context, src, target string) error) error {
	now := time.Now()
	if _, err := os.Stat(path); err == nil {
		// The time marks the entry as used. A cache that cannot be written to still serves.
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

// key identifies a result: the source, the wanted manifests, the compiler, its flags and the target.
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

// prune removes entries of other versions that nobody has used for a while. It touches only directories that look like
// entries, and never one that somebody is building in.
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
