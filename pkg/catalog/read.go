package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// Schemas of file-based catalogs that are read, beside those of upgrade rules; blobs of any other are ignored.
const (
	schemaPackage      = "olm.package"
	schemaChannel      = "olm.channel"
	schemaBundle       = "olm.bundle"
	schemaDeprecations = "olm.deprecations"
)

// Read reads a file-based catalog, JSON objects one after another or YAML documents, and returns the packages that want
// says yes to, sorted by name; a nil want wants all. Memory is bounded by a window, by one YAML document and what it expands to,
// and by what is kept, whatever the length of the stream and of its blobs.
//
// What is unknown is ignored: schemas, fields, properties. A stream that ends early, a blob that is no JSON object, one
// without a schema and one whose key is there twice are errors that name the blob: the rest of such a stream cannot be
// trusted, and a short list would look like a real one. A blob of a wanted package with a field of the wrong shape is
// left out and named in that package's Faults, so that it costs the other packages nothing. So is a package that takes more than
// a package may.
func Read(r io.Reader, want func(pkg string) bool) ([]Package, error) {
	var builder Builder
	if err := builder.read(r, file{yaml: true}, want); err != nil {
		return nil, err
	}
	return builder.Build(), nil
}

// ReadServed is Read of a catalog as a server sends it: JSON only, with the memory that is lent. It says of all packages, wanted
// or not, which of them bring which kinds.
func ReadServed(r io.Reader, want func(pkg string) bool, memory Memory) ([]Package, *Providers, error) {
	builder := Builder{providers: &ProvidersBuilder{Memory: memory}, Memory: memory}
	if err := builder.read(r, file{}, want); err != nil {
		return nil, nil, err
	}
	return builder.Build(), builder.providers.Build(), nil
}

// file is where a stream comes from: its name, empty where it has none, and whether it may be YAML.
type file struct {
	name string
	yaml bool
}

// read adds the blobs of a stream. A file that is given is named in faults.
func (b *Builder) read(r io.Reader, from file, want func(pkg string) bool) error {
	in, err := newStream(r, b.Memory)
	if err != nil {
		return err
	}
	defer in.close()
	in.yaml = from.yaml
	for n := 1; ; n++ {
		blob, release, err := b.next(in, want)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = b.addBlob(blob, n, from, want)
		}
		release()
		if err != nil {
			return fmt.Errorf("blob %d%s: %w", n, blob.label(), err)
		}
	}
}

// next reads a blob; release gives back what it holds.
func (b *Builder) next(in *stream, want func(pkg string) bool) (next blob, release func(), err error) {
	raw, err := in.next()
	if errors.Is(err, errLarge) {
		large := largeBlob{stream: in, want: want, kinds: b.providers != nil}
		return large.read()
	}
	if err == nil {
		next, err = parse(raw)
	}
	return next, func() {}, err
}

// addBlob adds a blob if somebody wants its package. An error is one of the stream, or that there is no memory.
func (b *Builder) addBlob(next blob, n int, from file, want func(pkg string) bool) error {
	if b.providers != nil && next.schema == schemaBundle && next.pkg != "" && next.refused == nil {
		next.addKinds(b.providers)
		if err := b.providers.Err(); err != nil {
			return err
		}
	}
	pkg := next.owner()
	if pkg == "" || want != nil && !want(pkg) {
		return nil
	}
	if !next.large && !json.Valid(next.raw) {
		return syntaxError(next.raw)
	}
	err := next.refused
	if errors.As(err, new(*memoryError)) {
		return err
	}
	if err == nil {
		err = next.addTo(b)
	}
	if err != nil {
		err = fmt.Errorf("%s is left out: %w", next.title(n), err)
		if from.name != "" {
			err = fmt.Errorf("file %s: %w", truncate.Quote(from.name), err)
		}
		b.AddFault(pkg, err)
	}
	return b.err
}
