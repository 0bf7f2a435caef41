package catalog

import (
	"encoding/json"
	"fmt"
	"io"
)

// Schemas of file-based catalogs that are read, beside those of upgrade rules; blobs of any other are ignored.
const (
	schemaPackage      = "olm.package"
	schemaChannel      = "olm.channel"
	schemaBundle       = "olm.bundle"
	schemaDeprecations = "olm.deprecations"
)

// Read reads a file-based catalog, JSON objects one after another or YAML documents, and returns the packages that want
// says yes to, sorted by name; a nil want wants all. Memory is bounded by the largest blob (at most 32 MiB) and by what
// is kept, whatever the length of the stream.
//
// What is unknown is ignored: schemas, fields, properties. A stream that ends early, a blob that is no JSON object, one
// without a schema and one whose key is there twice are errors that name the blob: the rest of such a stream cannot be
// trusted, and a short list would look like a real one. A blob of a wanted package with a field of the wrong shape is
// left out and named in that package's Faults, so that it costs the other packages nothing.
func Read(r io.Reader, want func(pkg string) bool) ([]Package, error) {
	packages, _, err := readWith(nil, r, want)
	return packages, err
}

// ReadWithProviders is Read, and says of all packages, wanted or not, which of them bring which kinds.
func ReadWithProviders(r io.Reader, want func(pkg string) bool) ([]Package, *Providers, error) {
	return readWith(&ProvidersBuilder{}, r, want)
}

// readWith is for both; without a builder of providers there are none.
func readWith(providers *ProvidersBuilder, r io.Reader, want func(pkg string) bool) ([]Package, *Providers, error) {
	builder := Builder{providers: providers}
	if err := builder.read(r, "", want); err != nil {
		return nil, nil, err
	}
	if providers == nil {
		return builder.Build(), nil, nil
	}
	return builder.Build(), providers.Build(), nil
}

// read adds the blobs of a stream. A file that is given is named in faults.
func (b *Builder) read(r io.Reader, file string, want func(pkg string) bool) error {
	in := newStream(r)
	for n := 1; ; n++ {
		raw, err := in.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("blob %d: %w", n, err)
		}
		blob, err := parse(raw)
		if err != nil {
			return fmt.Errorf("blob %d%s: %w", n, blob.label(), err)
		}
		if b.providers != nil && blob.schema == schemaBundle && blob.pkg != "" {
			blob.addKinds(b.providers)
		}
		if pkg := blob.owner(); pkg == "" || want != nil && !want(pkg) {
			continue
		}
		if !json.Valid(raw) {
			return fmt.Errorf("blob %d%s: %w", n, blob.label(), syntaxError(raw))
		}
		if err := blob.addTo(b); err != nil {
			err = fmt.Errorf("%s %.120q is left out: %w", blob.schema, blob.name, err)
			if file != "" {
				err = fmt.Errorf("file %.120q: %w", file, err)
			}
			b.AddFault(blob.owner(), err)
		}
	}
}
