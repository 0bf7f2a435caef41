package source

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// Source is the origin of content, for example an image. Sources are comparable. Equal sources have the same content and are fetched in the
// same way, so requests for them are also equal.
//
//nolint:interfacebloat // every source of the family implements all of it, and a fetch uses all of it
type Source interface {
	// Host returns the host that serves the content; it may be empty. The requests to one host share a queue.
	Host() string
	// Resolve returns the pinned reference of the current content. For a source that is already pinned, it sends no request.
	Resolve(ctx context.Context) (Pinned, error)
	// At returns the source with a different reference, such as one that Resolve returned.
	At(pinned string) Source
	// CheckAccess requests the content of a pinned source from its host without its files, and returns an error if the credentials do not
	// permit reading it. Content that is stored already would be read without a request otherwise.
	CheckAccess(ctx context.Context) error
	// Fetch writes the files of a pinned source to a target, and returns where they are from. It returns an error if the cluster has a policy for
	// the source, and the content does not satisfy it.
	Fetch(ctx context.Context, to Target) (Origin, error)
	// Verify returns an error if the cluster has a policy for a pinned source, and stored content of this origin does not satisfy it. It sends
	// requests only if it has not verified this content before. Its error is a *RefetchError if other content of the source may satisfy the policy.
	Verify(ctx context.Context, origin Origin) error
	// Spec returns the source as an API type.
	Spec() corev1alpha2.BundleSource
}

// Pinned identifies content that never changes.
type Pinned struct {
	// Reference is the location of the content, for example an image by digest.
	Reference string
	// Digest is the digest of the content, "sha256:…", and its key in the content store.
	Digest string
}

// Origin is where the files of a source are from.
type Origin struct {
	// Mirror is the location of the mirror that served them; empty if the source's own host did.
	Mirror string
	// ImageDigest is the digest of the image that has the files, "sha256:…". It differs from that of the source if the source is an index of
	// images. It is empty if it is not known, or if the content is not in an image.
	ImageDigest string
}

// RefetchError means that stored content does not satisfy a policy, and that a fetch for the same source may yield content that does.
type RefetchError struct{ Err error }

// Error returns why the stored content does not satisfy the policy.
func (e *RefetchError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *RefetchError) Unwrap() error { return e.Err }

// Namespaces are the namespaces of the objects that apply to a source. Empty means the namespace of the manager.
type Namespaces struct {
	// Secrets is the namespace of the Secrets that the spec names.
	Secrets string
	// Policies is the namespace whose ImagePolicies apply to the source.
	Policies string
}

// NamespacesOf returns the namespaces of the source of a BundleDeployment.
func NamespacesOf(spec corev1alpha2.BundleDeploymentSpec) Namespaces {
	return Namespaces{Secrets: corev1alpha2.SecretNamespace(spec), Policies: spec.InstallNamespace}
}

// Target is the destination of fetched files.
type Target struct {
	// Dir is an existing, empty directory. After an error the caller removes its content.
	Dir string
	// Reserve is called before a fetch uses disk space. Its error, which names the remedy, ends the fetch. Nil reserves nothing.
	Reserve func(bytes int64) error
	// CheckBytes is called with the total size of the files so far, including a file that is about to be written. Its error ends the fetch.
	// Nil checks nothing.
	CheckBytes func(total int64) error
}

// Opened is the source that a spec refers to.
type Opened struct {
	// Source is nil if something is missing.
	Source Source
	// Name is the source as the spec names it. Revisions store the name, so the names of sources of different types must differ.
	Name string
	// Resolved is the pinned reference of the content if it is known without a request to the host; otherwise empty.
	Resolved string
	// Image is the reference of the image, by tag or by digest; empty if the content is not in an image, or something is missing.
	Image string
	// Missing is the reason why the content cannot be fetched yet, with a remedy, as a clause; empty if there is none.
	Missing string
	// PollInterval is the interval at which the source is resolved again; 0 for never.
	PollInterval time.Duration
}

// Opener opens the sources of one type. It returns an error only if reading a cache fails; faults in a spec are reported in Opened.Missing.
type Opener interface {
	// Open opens the source in a spec.
	Open(spec corev1alpha2.BundleSource, namespaces Namespaces) (Opened, error)
}

// Types are the types of sources, each with its Opener.
type Types map[corev1alpha2.SourceType]Opener

// Open opens the source in a spec with the Opener for its type.
func (t Types) Open(spec corev1alpha2.BundleSource, namespaces Namespaces) (Opened, error) {
	opener, known := t[spec.Type]
	if !known {
		// The CRD of this version permits only known types. The CRD of a later version may permit more.
		return Opened{Missing: fmt.Sprintf("spec.source.type %q is not supported by this manager; use one of: %s", spec.Type, t.names())}, nil
	}
	return opener.Open(spec, namespaces)
}

// names returns the names of the types, sorted and separated by commas.
func (t Types) names() string {
	var names []string
	for name := range t {
		names = append(names, string(name))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
