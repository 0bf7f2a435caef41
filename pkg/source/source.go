package source

import (
	"context"
	"fmt"
	"time"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// Source is where content comes from, for example an image. Values are comparable, and equal ones have the same content and are fetched
// alike: what is requested of equal sources is one request.
//
//nolint:interfacebloat // every source of the family implements all of it, and a fetch uses all of it
type Source interface {
	// Host is the host that the content is fetched from. Requests of one host wait for one another. It may be empty.
	Host() string
	// Resolve pins the source. A source that is pinned already is resolved without asking its host.
	Resolve(ctx context.Context) (Pinned, error)
	// At returns the source with another reference, one that Resolve returned.
	At(pinned string) Source
	// Fetch writes the files of the source, which is pinned, to a target.
	Fetch(ctx context.Context, to Target) error
	// Spec is the source as the API has it.
	Spec() corev1alpha2.BundleSource
}

// Pinned names content that never changes.
type Pinned struct {
	// Reference finds the content at its source, for example an image by digest.
	Reference string
	// Digest identifies the content, "sha256:…", wherever it comes from. Content is stored by it.
	Digest string
}

// Target is where files are written to.
type Target struct {
	// Dir exists and is empty. After an error it holds an unfinished tree, which the caller removes.
	Dir string
	// Reserve is called before bytes of the disk are used. Its error ends the fetch. Nil reserves nothing.
	Reserve func(bytes int64) error
}

// Opened is a source as it was found behind a spec.
type Opened struct {
	// Source is nil if something is missing.
	Source Source
	// Name is the source as the spec names it. It is stored with revisions, so that each type has names that no other type has.
	Name string
	// Resolved is the reference of the content if that is known without asking the source's host; empty otherwise.
	Resolved string
	// Missing is what must exist before the content can be fetched, as a clause; empty if nothing is missing.
	Missing string
	// PollInterval is how often the source is resolved again; 0 for never.
	PollInterval time.Duration
}

// Opener opens the sources of one type. Its error is a fault of a cache; what is wrong with a spec is in Missing.
type Opener interface {
	Open(spec corev1alpha2.BundleSource) (Opened, error)
}

// Types are the types of sources, each with what opens it.
type Types map[corev1alpha2.SourceType]Opener

// Open opens the source of a spec by its type.
func (t Types) Open(spec corev1alpha2.BundleSource) (Opened, error) {
	opener, known := t[spec.Type]
	if !known {
		// The schema refuses it, except that of a later manager.
		return Opened{Missing: fmt.Sprintf("Sources of type %q are not read here; name another one in spec.source", spec.Type)}, nil
	}
	return opener.Open(spec)
}
