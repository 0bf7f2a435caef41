package binaries

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func source() Source {
	return Source{
		Files:     map[string][]byte{"go.mod": []byte("module m\n\nrequire (\n\tk8s.io/kubernetes v1.36.3\n)\n"), "go.sum": []byte("sums")},
		Manifests: []Manifest{{Module: "example.com/a", Path: "crd.yaml", Name: "crd-a.yaml"}},
	}
}

func TestKubernetesVersionComesFromGoMod(t *testing.T) {
	for name, test := range map[string]struct {
		goMod, want string
		wantErr     bool
	}{
		"in a block":                   {goMod: "require (\n\tk8s.io/kubernetes v1.36.3\n)", want: "v1.36.3"},
		"on a line of its own":         {goMod: "require k8s.io/kubernetes v1.37.0\n", want: "v1.37.0"},
		"a module of a similar name":   {goMod: "require (\n\tk8s.io/kubernetes-extras v1.36.3\n)", wantErr: true},
		"only a replacement":           {goMod: "replace k8s.io/kubernetes => ../k8s", wantErr: true},
		"a version that is no release": {goMod: "require k8s.io/kubernetes v0.0.0-2026\n", wantErr: true},
		"a file that requires nothing": {goMod: "module m\n", wantErr: true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := kubernetesVersion([]byte(test.goMod))
			if got != test.want || (err != nil) != test.wantErr {
				t.Errorf("got %q, %v; want %q and an error: %t", got, err, test.want, test.wantErr)
			}
		})
	}
}

func TestAnEntryIsFoundAgainAndNeverMistakenForAnother(t *testing.T) {
	want := key("v1.36.3", source())
	if key("v1.36.3", source()) != want {
		t.Fatal("the same source has two keys")
	}
	if key("v1.36.4", source()) == want {
		t.Error("another stamp has the same key")
	}
	for name, change := range map[string]func(*Source){
		"a changed sum":           func(s *Source) { s.Files["go.sum"] = []byte("other") },
		"a new file":              func(s *Source) { s.Files["servers/main.go"] = nil },
		"a manifest moved":        func(s *Source) { s.Manifests[0].Path = "b/crd.yaml" },
		"a manifest left out":     func(s *Source) { s.Manifests = nil },
		"content moved to a name": func(s *Source) { s.Files["go.sum "] = s.Files["go.sum"]; delete(s.Files, "go.sum") },
	} {
		t.Run(name, func(t *testing.T) {
			changed := source()
			change(&changed)
			if key("v1.36.3", changed) == want {
				t.Error("the key did not change")
			}
		})
	}
}

func TestAResultIsMadeOnceAndAFailedOneLeavesNothing(t *testing.T) {
	cache, err := Open(t.TempDir(), source(), &strings.Builder{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(cache.Dir(), "result")
	broken := errors.New("broken")
	calls := 0
	produce := func(_ context.Context, src, target string) error {
		calls++
		if content, err := os.ReadFile(filepath.Join(src, "go.sum")); err != nil || string(content) != "sums" {
			t.Errorf("the source has go.sum %q, %v", content, err)
		}
		if err := os.WriteFile(target, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		if calls == 1 {
			return broken
		}
		return nil
	}
	if err := cache.ensure(t.Context(), path, produce); !errors.Is(err, broken) {
		t.Fatalf("got %v, want the producer's error", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("a failed result is there: %v", err)
	}
	for range 2 {
		if err := cache.ensure(t.Context(), path, produce); err != nil {
			t.Fatal(err)
		}
	}
	if calls != 2 {
		t.Errorf("produced %d times, want 2: once failing, once for good", calls)
	}
}

func TestPruneRemovesOnlyOldEntriesOfOtherVersions(t *testing.T) {
	root, now := t.TempDir(), time.Now()
	old := now.Add(-keepUnused - time.Hour)
	for name, modified := range map[string]time.Time{"v1.1.0-old": old, "v1.1.0-used": now, "v1.1.0-current": old, "clusters": old} {
		path := filepath.Join(root, name)
		if err := os.Mkdir(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, modified, modified); err != nil {
			t.Fatal(err)
		}
	}
	if err := prune(root, filepath.Join(root, "v1.1.0-current"), now); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, entry := range entries {
		left = append(left, entry.Name())
	}
	if want := []string{"clusters", "v1.1.0-current", "v1.1.0-used"}; !slices.Equal(left, want) {
		t.Errorf("left %v, want %v", left, want)
	}
}

func TestBuildLogCountsPackagesAndKeepsTheEnd(t *testing.T) {
	log := &buildLog{}
	if got, want := log.summary(), "linking"; got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
	log.read(strings.NewReader("go: downloading k8s.io/api v0.36.3\n"))
	if got, want := log.summary(), "1 modules fetched"; got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
	log.read(strings.NewReader("k8s.io/api/core/v1\n" + strings.Repeat("k8s.io/apimachinery\n", maxTail) + "x.go:1: wrong\n"))
	if got, want := log.summary(), "13 packages compiled, at x.go:1: wrong"; got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
	if got := log.lastLines(); strings.Contains(got, "core/v1") || !strings.HasSuffix(got, "x.go:1: wrong") {
		t.Errorf("last lines %q: want the last %d only", got, maxTail)
	}
}

func TestModFlagIsTakenOutOfGoflags(t *testing.T) {
	if got, want := withoutModFlag("-mod=vendor -modcacherw  -buildvcs=false"), "-modcacherw -buildvcs=false"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
