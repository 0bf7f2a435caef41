package main

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// content maps paths in the image to executables on disk.
type content map[string]string

// build builds an image of executables and a folder of manifests. It sets no times and owners, so that the digest depends only
// on the content.
func build(arch string, executables content, manifests string) (v1.Image, error) {
	layer, err := pack(executables, manifests)
	if err != nil {
		return nil, err
	}
	image, err := mutate.AppendLayers(mutate.MediaType(empty.Image, types.OCIManifestSchema1), layer)
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture = "linux", arch
	config.Config = v1.Config{
		Entrypoint: []string{"/usr/bin/platform-operators"},
		User:       "65532",
		Labels: map[string]string{
			// The release tooling reads /manifests of images with this label.
			"io.openshift.release.operator": "true",
			"io.k8s.display-name":           "OpenShift Platform Operators",
		},
	}
	image, err = mutate.ConfigFile(image, config)
	if err != nil {
		return nil, err
	}
	return mutate.ConfigMediaType(image, types.OCIConfigJSON), nil
}

func pack(executables content, manifests string) (v1.Layer, error) {
	var archive bytes.Buffer
	writer := tar.NewWriter(&archive)
	entries, err := os.ReadDir(manifests) // sorted by name
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if err := add(writer, path.Join("manifests", entry.Name()), filepath.Join(manifests, entry.Name()), 0o644); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(executables)) {
		if err := add(writer, name, executables[name], 0o755); err != nil {
			return nil, err
		}
	}
	if err := writer.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(archive.Bytes())), nil
	}, tarball.WithMediaType(types.OCILayer))
}

func add(writer *tar.Writer, name, file string, mode int64) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := writer.WriteHeader(&tar.Header{Name: name, Mode: mode, Size: int64(len(data)), Format: tar.FormatUSTAR}); err != nil {
		return fmt.Errorf("adding %q: %w", name, err)
	}
	_, err = writer.Write(data)
	return err
}
