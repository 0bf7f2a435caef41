package catalogs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/cli/exit"
	"github.com/openshift/platform-operators/pkg/shell"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/source/image"
)

// configs is the directory in a catalog image that contains the file-based catalog. The tools that build catalog images use the same
// directory.
const configs = "configs"

// maxConfigs is the maximum disk usage of an image's catalog, in bytes. The largest public catalogs need less than a quarter of it.
const maxConfigs = 1 << 30

// imageLimits returns the limits for a catalog image. Nearly all of an image consists of programs and a cache, which are read but not
// written to disk.
func imageLimits() image.Limits {
	return image.Limits{Bytes: 8 << 30, FileBytes: maxConfigs, Entries: 500_000, Layers: 256, Time: time.Hour, Stall: time.Minute}
}

// Image returns the file-based catalog in the directory /configs of a catalog image. It uses the credentials of the user's container tools.
// Reading it fails with code exit.Invalid if the content of the image is corrupt, refused, too large, or not a catalog.
func Image(reference string) Source {
	return Source{Name: reference, read: func(ctx context.Context) ([]catalog.Package, error) {
		directory, err := os.MkdirTemp("", "catalog-image-")
		if err != nil {
			return nil, fmt.Errorf("creating a directory for the image's catalog: %w; set TMPDIR to a directory that can be written", err)
		}
		defer os.RemoveAll(directory)
		if err := unpackImage(ctx, reference, directory); err != nil {
			return nil, err
		}
		content := filepath.Join(directory, configs)
		if info, err := os.Stat(content); err != nil || !info.IsDir() {
			return nil, exit.With(exit.Invalid, errors.New("the image has no directory /configs, so it is not an image of a file-based catalog"))
		}
		return readRoot(ctx, content, "directory /configs of the image")
	}}
}

// unpackImage writes directory /configs of an image below a directory.
func unpackImage(ctx context.Context, reference, directory string) error {
	fetcher := image.New(image.Config{Limits: imageLimits(), Keychain: authn.DefaultKeychain, Directory: configs})
	from := image.Source{Ref: reference}
	pinned, err := fetcher.Resolve(ctx, from)
	if err != nil {
		return imageError(reference, err)
	}
	written := int64(0)
	reserve := func(bytes int64) error {
		if written += bytes; written > maxConfigs {
			return fmt.Errorf("directory /configs has more than %d bytes", maxConfigs)
		}
		return nil
	}
	_, err = fetcher.Unpack(ctx, from.At(pinned), source.Target{Dir: directory, Reserve: reserve})
	return imageError(reference, err)
}

// imageError returns err with its exit code and a remedy for a user of the plugin; nil if err is nil.
func imageError(reference string, err error) error {
	var failed *image.Error
	if !errors.As(err, &failed) {
		return err
	}
	remedy, code := "check the network, and that the registry runs", exit.Failure
	switch failed.Class {
	case image.Invalid:
		remedy, code = "write a reference such as registry.example.com/catalog:v1", exit.Usage
	case image.Untrusted:
		remedy = "add the registry's certificate authority to those that this machine trusts"
	case image.PlainHTTP:
		remedy = "enable TLS on the registry"
	case image.Loopback:
		remedy = "correct the registry's redirect, its token address or its DNS record"
	case image.UnexpectedResponse:
		remedy = "check the registry's address, and any proxy or login page in front of it"
	case image.NotFound:
		remedy = "check the reference, and that the image was pushed"
	case image.Unauthorized, image.Credentials:
		remedy = "log in with: podman login " + shell.Quote(registryOf(reference))
	case image.Corrupt:
		remedy, code = "check the registry's storage, and any mirror or proxy in front of it", exit.Invalid
	case image.Refused:
		remedy, code = "rebuild the image, or check the directory from which it is built", exit.Invalid
	case image.Reserved:
		remedy, code = "ask the catalog's publisher to prune it", exit.Invalid
	case image.DiskFull:
		remedy = "free disk space, or set TMPDIR to a directory with more space"
	case image.Storage:
		remedy = "check the disk, or set TMPDIR to a directory on another one"
	}
	text := fmt.Errorf("%s; %s", failed.Problem(), remedy)
	if code == exit.Failure && exit.CodeOf(err) == exit.Timeout {
		code = exit.Timeout
	}
	return exit.With(code, text)
}

func registryOf(reference string) string {
	parsed, err := name.ParseReference(reference)
	if err != nil {
		return ""
	}
	return parsed.Context().RegistryStr()
}
