package binaries

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// progressEvery is the time between two lines of progress. It is short enough for CI systems that stop jobs without output.
const progressEvery = 15 * time.Second

// linkerFlags returns the linker flags that set the version of the programs, because clients cannot parse the default, v0.0.0-master. The
// flags for client-go set the version in user agents.
func linkerFlags(version string) string {
	major, minor, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	minor, _, _ = strings.Cut(minor, ".")
	flags := "-s -w"
	for _, stamp := range []string{"k8s.io/component-base/version.", "k8s.io/client-go/pkg/version."} {
		flags += fmt.Sprintf(" -X %[1]sgitVersion=%[2]s -X %[1]sgitMajor=%[3]s -X %[1]sgitMinor=%[4]s", stamp, version, major, minor)
	}
	return flags
}

// build builds the multi-call binary from src and writes it to target. -trimpath makes compiled packages independent of the directory, so
// that the Go build cache can supply them.
func (c *Cache) build(ctx context.Context, src, target string) error {
	fmt.Fprintf(c.out, "building etcd, Kubernetes %s and kwok from modules into %s (once per version; several minutes, most of a cold build)\n", c.version, c.dir)
	cmd := goCommand(ctx, src, "build", "-v", "-mod=readonly", "-buildvcs=false", "-trimpath", "-tags=servers", "-ldflags", linkerFlags(c.version), "-o", target, "./servers")
	started := time.Now()
	if err := c.runWithProgress(cmd, started); err != nil {
		return fmt.Errorf("building the servers in %q: %w", src, err)
	}
	fmt.Fprintf(c.out, "built in %s\n", time.Since(started).Round(time.Second))
	return nil
}

// runWithProgress runs a verbose go build and writes lines of progress. Each line of the build's output names a package that it starts to
// compile or a module that it downloads.
func (c *Cache) runWithProgress(cmd *exec.Cmd, started time.Time) error {
	reader, writer := io.Pipe()
	cmd.Stderr = writer
	cmd.Stdout = writer
	log := &buildLog{}
	var reading sync.WaitGroup
	reading.Go(func() { log.read(reader) })

	done := make(chan error, 1)
	go func() {
		err := cmd.Run()
		writer.Close()
		reading.Wait()
		done <- err
	}()
	ticker := time.NewTicker(progressEvery)
	defer ticker.Stop()
	for {
		select {
		case err := <-done:
			if err != nil {
				return fmt.Errorf("running go build: %w; its last lines: %s", err, log.lastLines())
			}
			return nil
		case <-ticker.C:
			fmt.Fprintf(c.out, "building … %s (%s)\n", time.Since(started).Round(time.Second), log.summary())
		}
	}
}

// buildLog counts the lines in a verbose build's output and keeps the last lines for an error message.
type buildLog struct {
	lock     sync.Mutex
	packages int
	modules  int
	tail     []string
}

const maxTail = 12

func (l *buildLog) read(r io.Reader) {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 0, 4096), 1<<20)
	for scanner.Scan() {
		l.add(scanner.Text())
	}
	// A line that exceeds the buffer ends the scan. The build must not block on the pipe.
	_, _ = io.Copy(io.Discard, r)
}

func (l *buildLog) add(line string) {
	l.lock.Lock()
	defer l.lock.Unlock()
	switch {
	case strings.HasPrefix(line, "go: downloading "):
		l.modules++
		return
	case !strings.ContainsAny(line, " \t:#"):
		l.packages++
	}
	l.tail = append(l.tail, line)
	if len(l.tail) > maxTail {
		l.tail = slices.Delete(l.tail, 0, len(l.tail)-maxTail)
	}
}

func (l *buildLog) summary() string {
	l.lock.Lock()
	defer l.lock.Unlock()
	switch {
	case l.packages == 0 && l.modules == 0:
		// All packages are in the build cache; a verbose build prints nothing while it links.
		return "linking"
	case l.packages == 0:
		return fmt.Sprintf("%d modules fetched", l.modules)
	}
	return fmt.Sprintf("%d packages compiled, at %s", l.packages, l.tail[len(l.tail)-1])
}

func (l *buildLog) lastLines() string {
	l.lock.Lock()
	defer l.lock.Unlock()
	return strings.Join(l.tail, " | ")
}

// copyManifests copies the manifests from the modules in go.mod to target. The go command verifies the modules with go.sum.
func (c *Cache) copyManifests(ctx context.Context, src, target string) error {
	dirs, err := c.moduleDirs(ctx, src)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(target, 0o755); err != nil {
		return fmt.Errorf("creating the manifest directory: %w", err)
	}
	for _, m := range c.source.Manifests {
		content, err := os.ReadFile(filepath.Join(dirs[m.Module], filepath.FromSlash(m.Path)))
		if err != nil {
			return fmt.Errorf("reading %q of module %q: %w; when the module moved the file, correct its path in package furniture", m.Path, m.Module, err)
		}
		if err := os.WriteFile(filepath.Join(target, m.Name), content, 0o644); err != nil {
			return fmt.Errorf("writing manifest %q: %w", m.Name, err)
		}
	}
	return nil
}

func (c *Cache) moduleDirs(ctx context.Context, src string) (map[string]string, error) {
	dirs := map[string]string{}
	args := []string{"mod", "download", "-json"}
	for _, m := range c.source.Manifests {
		if _, seen := dirs[m.Module]; !seen {
			dirs[m.Module] = ""
			args = append(args, m.Module)
		}
	}
	if len(dirs) == 0 {
		return dirs, nil
	}
	cmd := goCommand(ctx, src, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	output, runErr := cmd.Output()
	decoder := json.NewDecoder(bytes.NewReader(output))
	for {
		var module struct{ Path, Dir, Error string }
		if err := decoder.Decode(&module); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("reading what go mod download printed: %w", err)
		}
		if module.Error != "" {
			return nil, fmt.Errorf("fetching module %q: %s", module.Path, module.Error)
		}
		dirs[module.Path] = module.Dir
	}
	if runErr != nil {
		return nil, fmt.Errorf("running go mod download: %w: %s", runErr, strings.TrimSpace(stderr.String()))
	}
	return dirs, nil
}

// goCommand returns a go command that runs in dir and ignores a surrounding workspace. When ctx ends, the command is interrupted instead of
// killed, so that it can end its children.
func goCommand(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "PWD="+dir)
	if flags := withoutModFlag(os.Getenv("GOFLAGS")); args[0] == "mod" {
		// go mod download does not accept -mod in GOFLAGS.
		cmd.Env = append(cmd.Env, "GOFLAGS="+flags)
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGINT) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

func withoutModFlag(goflags string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(goflags), func(f string) bool { return strings.HasPrefix(f, "-mod=") }), " ")
}
