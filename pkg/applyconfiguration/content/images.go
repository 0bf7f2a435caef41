package content

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"sync"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/source/image"
)

const (
	// imageFolder is the OCI layout with the images.
	imageFolder = "content/images"
	// refAnnotation is the annotation in an OCI layout's index.json that has the reference of an image.
	refAnnotation = "org.opencontainers.image.ref.name"
	// maxManifest is the maximum size of a manifest, a configuration or the index in bytes. For manifests, it is that of registries.
	maxManifest = 4 << 20
)

// errMissing is the error for a manifest, a configuration or a layer that the OCI layout does not have.
var errMissing = errors.New("the input directory does not have the image; add it to the OCI layout in " + imageFolder)

// Images finds images in the OCI layout of an input directory. It is safe for concurrent use.
type Images struct {
	files fs.FS

	mu      sync.Mutex
	missing map[string]bool
	damaged map[string]error
}

// NewImages returns the images in an input directory.
func NewImages(input fs.FS) *Images {
	return &Images{files: input, missing: map[string]bool{}, damaged: map[string]error{}}
}

// Missing returns the references of the images that the controllers requested and the directory lacks, sorted.
func (i *Images) Missing() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Sorted(maps.Keys(i.missing))
}

// Find finds the manifest of an image by its digest, or for a reference with a tag by the annotation org.opencontainers.image.ref.name in
// index.json. It is an image.Config.Find.
func (i *Images) Find(ref name.Reference) (image.Manifest, error) {
	found, err := i.find(ref)
	return found, i.record(ref.Name(), err)
}

// Err returns an error that names each damaged image that the controllers requested, or nil.
func (i *Images) Err() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	var errs []error
	for _, ref := range slices.Sorted(maps.Keys(i.damaged)) {
		errs = append(errs, fmt.Errorf("image %s: %w", ref, i.damaged[ref]))
	}
	return errors.Join(errs...)
}

// record records that an image is missing or damaged. It returns an error that wraps source.ErrNotYet: the error is in the
// input directory, so that no status reports it.
func (i *Images) record(ref string, err error) error {
	if err == nil {
		return nil
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if errors.Is(err, errMissing) {
		i.missing[ref] = true
	} else if i.damaged[ref] == nil {
		i.damaged[ref] = err
	}
	return &image.Error{Class: image.NotFound, Action: "finding", Ref: ref, Err: fmt.Errorf("%w: %w", source.ErrNotYet, err)}
}

func (i *Images) find(ref name.Reference) (image.Manifest, error) {
	digest, err := i.digestOf(ref)
	if err != nil {
		return image.Manifest{}, err
	}
	content, err := i.readBlob(ref.Name(), digest)
	if err != nil {
		return image.Manifest{}, err
	}
	var manifest struct {
		MediaType types.MediaType `json:"mediaType"`
		Manifests []any           `json:"manifests"`
	}
	if err := json.Unmarshal(content, &manifest); err != nil {
		return image.Manifest{}, fmt.Errorf("reading %s: %w", blobPath(digest), err)
	}
	if manifest.MediaType == "" { // optional in OCI manifests
		manifest.MediaType = types.OCIManifestSchema1
		if manifest.Manifests != nil {
			manifest.MediaType = types.OCIImageIndex
		}
	}
	return image.Manifest{
		Descriptor: v1.Descriptor{MediaType: manifest.MediaType, Digest: digest, Size: int64(len(content))}, Manifest: content,
		Image: func() (v1.Image, error) {
			return partial.CompressedToImage(&layoutImage{images: i, ref: ref.Name(), manifest: content, mediaType: manifest.MediaType})
		},
	}, nil
}

// digestOf returns the digest in a reference, or for a reference with a tag that of the image with this reference in index.json.
func (i *Images) digestOf(ref name.Reference) (v1.Hash, error) {
	if digest, isDigest := ref.(name.Digest); isDigest {
		return v1.NewHash(digest.DigestStr())
	}
	indexFile := path.Join(imageFolder, "index.json")
	file, err := i.files.Open(indexFile)
	if errors.Is(err, fs.ErrNotExist) {
		return v1.Hash{}, errMissing
	}
	if err != nil {
		return v1.Hash{}, fmt.Errorf("reading the index of images: %w", err)
	}
	defer file.Close()
	content, err := readAll(file, indexFile)
	if err != nil {
		return v1.Hash{}, fmt.Errorf("reading the index of images: %w", err)
	}
	index, err := v1.ParseIndexManifest(bytes.NewReader(content))
	if err != nil {
		return v1.Hash{}, fmt.Errorf("reading %s/index.json: %w", imageFolder, err)
	}
	for _, each := range index.Manifests {
		if named := each.Annotations[refAnnotation]; named == ref.Name() || named == ref.String() {
			return each.Digest, nil
		}
	}
	return v1.Hash{}, errMissing
}

// readAll reads a file to its end. More than maxManifest bytes are an error.
func readAll(file io.Reader, name string) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(file, maxManifest+1))
	if err == nil && len(content) > maxManifest {
		err = fmt.Errorf("%s has more than %d bytes, which is the maximum for a manifest or the index", name, maxManifest)
	}
	return content, err
}

// readBlob returns a blob that is a manifest or a configuration.
func (i *Images) readBlob(ref string, digest v1.Hash) ([]byte, error) {
	blob, err := i.open(ref, digest)
	if err != nil {
		return nil, err
	}
	defer blob.Close()
	return readAll(blob, blobPath(digest))
}

// open opens a blob. Reading it to its end returns an error if its digest is wrong.
func (i *Images) open(ref string, digest v1.Hash) (io.ReadCloser, error) {
	if digest.Algorithm != "sha256" {
		return nil, fmt.Errorf("digest %s: only sha256 is supported", digest)
	}
	file, err := i.files.Open(blobPath(digest))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errMissing
	}
	if err != nil {
		return nil, fmt.Errorf("reading the content of an image: %w", err)
	}
	return &verified{ReadCloser: file, sum: sha256.New(), digest: digest, record: func(err error) error { return i.record(ref, err) }}, nil
}

func blobPath(digest v1.Hash) string {
	return path.Join(imageFolder, "blobs", digest.Algorithm, digest.Hex)
}

// verified is a file that compares its digest when it has been read to its end.
type verified struct {
	io.ReadCloser
	sum    hash.Hash
	digest v1.Hash
	record func(error) error
}

// Read implements io.Reader.
func (v *verified) Read(buffer []byte) (int, error) {
	n, err := v.ReadCloser.Read(buffer)
	v.sum.Write(buffer[:n])
	if errors.Is(err, io.EOF) {
		if got := hex.EncodeToString(v.sum.Sum(nil)); got != v.digest.Hex {
			return n, v.record(fmt.Errorf("%s has the digest sha256:%s: the file is damaged; copy the image again", blobPath(v.digest), got))
		}
	}
	return n, err
}

// layoutImage is an image in the layout. It implements partial.CompressedImageCore.
type layoutImage struct {
	images    *Images
	ref       string
	manifest  []byte
	mediaType types.MediaType
}

// MediaType implements partial.CompressedImageCore.
func (l *layoutImage) MediaType() (types.MediaType, error) { return l.mediaType, nil }

// RawManifest implements partial.CompressedImageCore.
func (l *layoutImage) RawManifest() ([]byte, error) { return l.manifest, nil }

// RawConfigFile implements partial.CompressedImageCore.
func (l *layoutImage) RawConfigFile() ([]byte, error) {
	manifest, err := partial.Manifest(l)
	if err != nil {
		return nil, err
	}
	content, err := l.images.readBlob(l.ref, manifest.Config.Digest)
	return content, l.images.record(l.ref, err)
}

// LayerByDigest implements partial.CompressedImageCore.
func (l *layoutImage) LayerByDigest(digest v1.Hash) (partial.CompressedLayer, error) {
	manifest, err := partial.Manifest(l)
	if err != nil {
		return nil, err
	}
	for _, each := range manifest.Layers {
		if each.Digest == digest {
			return &layoutLayer{l, each}, nil
		}
	}
	return nil, fmt.Errorf("the manifest has no layer %s", digest)
}

// layoutLayer implements partial.CompressedLayer.
type layoutLayer struct {
	image      *layoutImage
	descriptor v1.Descriptor
}

// Digest implements partial.CompressedLayer.
func (l *layoutLayer) Digest() (v1.Hash, error) { return l.descriptor.Digest, nil }

// Compressed implements partial.CompressedLayer.
func (l *layoutLayer) Compressed() (io.ReadCloser, error) {
	blob, err := l.image.images.open(l.image.ref, l.descriptor.Digest)
	return blob, l.image.images.record(l.image.ref, err)
}

// Size implements partial.CompressedLayer.
func (l *layoutLayer) Size() (int64, error) { return l.descriptor.Size, nil }

// MediaType implements partial.CompressedLayer.
func (l *layoutLayer) MediaType() (types.MediaType, error) { return l.descriptor.MediaType, nil }
