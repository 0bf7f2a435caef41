// Command images builds the manager's image as an OCI layout without a container engine. The image contains static binaries and manifests/
// in one layer. Two runs on the same source give the same digests. `make images` runs it. Release images are built from the Dockerfile,
// whose base image also contains the system's certificate authorities.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
)

// name is the image that the files in manifests/ refer to. The release tooling finds the name in manifests/image-references and replaces
// it.
const name = "quay.io/openshift/origin-platform-operators:latest"

func main() {
	arches := flag.String("arch", runtime.GOARCH, "processor architectures to build for, separated by commas")
	to := flag.String("to", "_output/images/platform-operators", "folder that the OCI layout is written to; what is there is replaced")
	flag.Parse()
	if err := run(context.Background(), strings.Split(*arches, ","), *to); err != nil {
		fmt.Fprintln(os.Stderr, "building images:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, arches []string, to string) error {
	work, err := os.MkdirTemp("", "images-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)

	var images []v1.Image
	for _, arch := range arches {
		manager, extension := filepath.Join(work, arch), filepath.Join(work, arch+"-tests-ext")
		if err := errors.Join(
			compile(ctx, "cmd/platform-operators", arch, manager),
			compile(ctx, "cmd/platform-operators-tests-ext", arch, extension),
		); err != nil {
			return err
		}
		packed, err := compressed(extension)
		if err != nil {
			return err
		}
		image, err := build(arch, content{"usr/bin/platform-operators": manager, "usr/bin/platform-operators-tests-ext.gz": packed}, "manifests")
		if err != nil {
			return fmt.Errorf("assembling the image for %q: %w", arch, err)
		}
		images = append(images, image)
	}
	return write(images, to)
}

// compile builds a reproducible static binary. pkg is the folder of the package. to is the path of the binary, and must be absolute.
func compile(ctx context.Context, pkg, arch, to string) error {
	command := exec.CommandContext(ctx, "go", "build", "-C", pkg, "-trimpath", "-buildvcs=false", "-tags=containers_image_openpgp", "-ldflags=-s -w -buildid=", "-o", to, ".")
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch)
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("compiling %q for %q: %w\n%s", pkg, arch, err, output)
	}
	return nil
}

// compressed writes a gzip-compressed copy of a file beside the file and returns its path, because openshift-tests expects test binaries in
// this form. The gzip header has no name or time, so that the copy is reproducible.
func compressed(file string) (string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	if _, err := writer.Write(data); err != nil {
		return "", fmt.Errorf("compressing %q: %w", file, err)
	}
	if err := writer.Close(); err != nil {
		return "", fmt.Errorf("compressing %q: %w", file, err)
	}
	return file + ".gz", os.WriteFile(file+".gz", packed.Bytes(), 0o600)
}

// write writes images to a folder as an OCI layout, and prints their digests. It replaces an existing layout, and returns an error if the
// folder contains anything else.
func write(images []v1.Image, to string) error {
	if err := removeLayout(to); err != nil {
		return err
	}
	path, err := layout.Write(to, empty.Index)
	if err != nil {
		return fmt.Errorf("writing the layout: %w", err)
	}
	for _, image := range images {
		config, err := image.ConfigFile()
		if err != nil {
			return err
		}
		err = path.AppendImage(image,
			layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": name}),
			layout.WithPlatform(v1.Platform{OS: config.OS, Architecture: config.Architecture}))
		if err != nil {
			return fmt.Errorf("writing the image for %q: %w", config.Architecture, err)
		}
		digest, err := image.Digest()
		if err != nil {
			return err
		}
		fmt.Printf("%s %s/%s %s\n", to, config.OS, config.Architecture, digest)
	}
	return nil
}

// removeLayout removes the folder of an OCI layout. It does nothing if path does not exist, and returns an error if path is not an OCI
// layout.
func removeLayout(path string) error {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if _, err := os.Stat(filepath.Join(path, "oci-layout")); err != nil {
		return fmt.Errorf("%q exists and is no OCI layout; remove it or set -to to another folder", path)
	}
	return os.RemoveAll(path)
}
