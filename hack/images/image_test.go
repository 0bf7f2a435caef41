package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// sample builds an image of two manifests and an executable with a modification time.
func sample(t *testing.T, written time.Time) v1.Image {
	t.Helper()
	dir := t.TempDir()
	manifests := filepath.Join(dir, "manifests")
	if err := os.Mkdir(manifests, 0o700); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"manifests/b.yaml": "b", "manifests/a.yaml": "a", "binary": "program"}
	for name, data := range files {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(file, []byte(data), 0o600), os.Chtimes(file, written, written)); err != nil {
			t.Fatal(err)
		}
	}
	image, err := build("amd64", content{"usr/bin/platform-operators": filepath.Join(dir, "binary")}, manifests)
	if err != nil {
		t.Fatal(err)
	}
	return image
}

func TestBuildIsReproducible(t *testing.T) {
	first, err := sample(t, time.Unix(1, 0)).Digest()
	if err != nil {
		t.Fatal(err)
	}
	second, err := sample(t, time.Unix(1e9, 0)).Digest()
	if err != nil {
		t.Fatal(err)
	}
	if first != second {
		t.Errorf("other modification times change the digest: %s and %s", first, second)
	}
}

func TestBuildContainsBinariesAndManifests(t *testing.T) {
	image := sample(t, time.Unix(1, 0))
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if config.Config.Labels["io.openshift.release.operator"] != "true" {
		t.Errorf("the image lacks the label for the release tooling: %v", config.Config.Labels)
	}
	var names []string
	reader := tar.NewReader(mutate.Extract(image))
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, header.Name)
		if header.Name == "usr/bin/platform-operators" && header.Mode != 0o755 {
			t.Errorf("%s has mode %o", header.Name, header.Mode)
		}
	}
	if want := []string{"manifests/a.yaml", "manifests/b.yaml", "usr/bin/platform-operators"}; !slices.Equal(slices.Sorted(slices.Values(names)), want) {
		t.Errorf("the image contains %q, want %q", names, want)
	}
}

func TestWriteReplacesOnlyALayout(t *testing.T) {
	to := filepath.Join(t.TempDir(), "layout")
	for range 2 {
		if err := write([]v1.Image{sample(t, time.Unix(1, 0))}, to); err != nil {
			t.Fatal(err)
		}
	}
	index, err := layout.ImageIndexFromPath(to)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index); err != nil {
		t.Error(err)
	}
	if manifest, err := index.IndexManifest(); err != nil || len(manifest.Manifests) != 1 {
		t.Errorf("the second write did not replace the first: %v, %v", manifest, err)
	}

	precious := t.TempDir()
	if err := os.WriteFile(filepath.Join(precious, "thesis"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := write(nil, precious); err == nil {
		t.Error("a folder that is no layout was removed")
	}
}

func TestCompressedIsReproducible(t *testing.T) {
	var packed [2][]byte
	for i := range packed {
		file := filepath.Join(t.TempDir(), "program"+strconv.Itoa(i))
		written := time.Unix(int64(i)*1e9, 0)
		if err := errors.Join(os.WriteFile(file, []byte("program"), 0o600), os.Chtimes(file, written, written)); err != nil {
			t.Fatal(err)
		}
		archive, err := compressed(file)
		if err != nil {
			t.Fatal(err)
		}
		if packed[i], err = os.ReadFile(archive); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(packed[0], packed[1]) {
		t.Error("the bytes differ")
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed[0]))
	if err != nil {
		t.Fatal(err)
	}
	if data, err := io.ReadAll(reader); err != nil || string(data) != "program" {
		t.Errorf("the file contains %q (%v)", data, err)
	}
}

func TestCompileIsReproducible(t *testing.T) {
	var binaries [2][]byte
	for i := range binaries {
		binary := filepath.Join(t.TempDir(), "crds")
		if err := compile(t.Context(), "../crds", "amd64", binary); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(binary)
		if err != nil {
			t.Fatal(err)
		}
		binaries[i] = data
	}
	if !bytes.Equal(binaries[0], binaries[1]) {
		t.Error("the bytes differ")
	}
}
