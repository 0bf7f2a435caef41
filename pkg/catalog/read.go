package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// Schemas of file-based catalogs that are used, besides those of upgrade rules. Blobs of other schemas are ignored.
const (
	schemaPackage      = "olm.package"
	schemaChannel      = "olm.channel"
	schemaBundle       = "olm.bundle"
	schemaDeprecations = "olm.deprecations"
)

// Read reads a file-based catalog, which is a sequence of either JSON objects or YAML documents. It returns the packages for which want
// returns true, sorted by name; a nil want selects all. However long the stream and its blobs are, the memory that Read takes is limited by
// a window, by one YAML document and its expansion, and by the size of the result.
//
// Unknown schemas, fields and properties are ignored. A truncated stream, a blob that is not a JSON object, a blob without a schema, and a
// blob with a duplicate key are errors that name the blob: the rest of such a stream is unreliable, and a partial list of versions would
// look like a complete one. A blob of a wanted package with a field of the wrong shape is omitted and named in that package's Faults, so
// that other packages stay usable. The same applies to a package that exceeds its memory limit.
func Read(r io.Reader, want func(pkg string) bool) ([]Package, error) {
	var builder Builder
	if err := builder.read(r, file{yaml: true}, want); err != nil {
		return nil, err
	}
	return builder.Build(), nil
}

// ReadServed reads a catalog that a server sends, which must consist of JSON objects only. memory is its memory budget; nil means no limit.
// It also returns which packages, wanted or not, provide which kinds. Selection, errors and faults are the same as for Read.
func ReadServed(r io.Reader, want func(pkg string) bool, memory MemoryBudget) ([]Package, *Providers, error) {
	builder := Builder{providers: &ProvidersBuilder{Memory: memory}, Memory: memory}
	if err := builder.read(r, file{}, want); err != nil {
		return nil, nil, err
	}
	return builder.Build(), builder.providers.Build(), nil
}

// file describes the origin of a stream: its name, empty if it has none, and whether YAML is permitted.
type file struct {
	name string
	yaml bool
}

// read adds the blobs of a stream to the builder. If the file has a name, faults include it.
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

// next reads a blob. The caller must call release after it has used the blob, even after an error.
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

// addBlob adds a blob if its package is wanted, and its provided kinds in any case. It returns an error only if the stream is unreliable or
// memory is exhausted. Other errors become faults of the package.
func (b *Builder) addBlob(next blob, n int, from file, want func(pkg string) bool) error {
	if b.providers != nil && next.schema == schemaBundle && next.pkg != "" && next.omittedErr == nil {
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
	err := next.omittedErr
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
