package bundle

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/bundle/plain"
	"github.com/openshift/platform-operators/pkg/bundle/registryv1"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/source/image"
	"github.com/openshift/platform-operators/pkg/store"
)

// Images fetches images. *image.Fetcher is the one there is; tests bring their own.
type Images interface {
	// Resolve gives a source's reference by digest.
	Resolve(ctx context.Context, source image.Source) (string, error)
	// Unpack writes the files of an image, given by digest, to a target.
	Unpack(ctx context.Context, source image.Source, target image.Target) error
}

// wish is what a Bundle wants looked into. The UID makes a Bundle that is created anew another one, for which a tag is
// resolved anew.
type wish struct {
	uid    types.UID
	source image.Source
	// format is what the content is read as.
	format string
}

func imageSource(spec *corev1alpha2.ImageSource) image.Source {
	return image.Source{
		Ref: spec.Ref, PullSecret: spec.PullSecret,
		InsecureSkipTLSVerify: spec.InsecureSkipTLSVerify, CertificateData: spec.CertificateData,
	}
}

// contents is what was found in a bundle's content.
type contents struct {
	// resolved is the reference by digest.
	resolved, digest string
	format           string
	metadata         bundle.Metadata
	objects          int
	bytes            int64
}

// reader fetches an image and reads the bundle in it.
type reader struct {
	images  Images
	content *store.Content
}

func (r reader) read(ctx context.Context, wanted wish) (*contents, error) {
	resolved, err := r.images.Resolve(ctx, wanted.source)
	if err != nil {
		return nil, err
	}
	digest, err := image.Digest(resolved)
	if err != nil {
		return nil, err
	}
	var found *contents
	fill := func(ctx context.Context, room *store.Room) error {
		return r.images.Unpack(ctx, wanted.source.At(resolved), image.Target{Dir: room.Dir, Take: room.Take})
	}
	err = r.content.Use(ctx, digest, fill, func(files fs.FS) error {
		found = &contents{resolved: resolved, digest: digest, format: wanted.format} // anew, because files may be read twice
		return source.Guard("reading "+resolved, func() error { return found.read(files) })
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// loaded is a bundle of any format.
type loaded interface {
	Metadata() bundle.Metadata
	Manifests() int
}

// load reads files as a format.
func load(files fs.FS, format string) (loaded, error) {
	switch format {
	case corev1alpha2.FormatRegistryV1:
		return registryv1.Load(files)
	case corev1alpha2.FormatPlainV0:
		return plain.Load(files)
	}
	return nil, fmt.Errorf("bundles of format %q are not read here", format)
}

func (c *contents) read(files fs.FS) error {
	loaded, err := load(files, c.format)
	var format *bundle.FormatError
	switch {
	case store.IsDiskFault(err):
		return err
	case errors.As(err, &format):
		return fmt.Errorf("%w. %s", err, format.Remedy())
	case err != nil:
		return fmt.Errorf("%w; whoever makes the bundle can correct it and publish it as a new image", err)
	}
	c.metadata, c.objects = loaded.Metadata(), loaded.Manifests()
	return fs.WalkDir(files, ".", func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		c.bytes += info.Size()
		return nil
	})
}
