package image

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"k8s.io/utils/lru"

	"github.com/openshift/platform-operators/pkg/imagepolicy"
	"github.com/openshift/platform-operators/pkg/signatures"
	"github.com/openshift/platform-operators/pkg/source"
)

// maxVerified is the maximum number of verified images that are remembered.
const maxVerified = 4096

// verifiedImages remembers which images satisfy which requirements, so that an image is verified once for each digest and policy. It is safe for
// concurrent use.
type verifiedImages struct{ cache *lru.Cache }

// verifiedKey identifies a verification: the image as the user names it, with which identities in signatures are compared, the digest that is
// signed, and a hash of the requirements.
type verifiedKey struct {
	reference, digest string
	requirements      [sha256.Size]byte
}

func newVerifiedImages() verifiedImages { return verifiedImages{lru.New(maxVerified)} }

func (v verifiedImages) add(key verifiedKey) { v.cache.Add(key, nil) }

func (v verifiedImages) has(key verifiedKey) bool {
	_, found := v.cache.Get(key)
	return found
}

// Verify returns nil if no policy of the cluster applies to a source, or if the signatures of its image satisfy the policy. The source's reference
// must have a digest. imageDigest is the digest of the image that has the stored files; empty if it is not known. Verify sends no request if it has
// verified this image for this policy before. Errors are of type *Error, or a *source.RefetchError around it if another image of an index may
// satisfy the policy.
func (f *Fetcher) Verify(ctx context.Context, from Source, imageDigest string) error {
	policy, err := f.policy(ctx, "verifying", from)
	if policy == nil || err != nil {
		return err
	}
	if imageDigest == "" {
		return &source.RefetchError{Err: &Error{Class: Unverified, Action: "verifying", Ref: from.Ref, Err: errors.New("it is not known which image has the stored files")}}
	}
	if f.verified.has(keyOf(policy, from, imageDigest)) {
		return nil
	}
	_, err = f.pull(ctx, from, func(ctx context.Context, ref name.Digest, options []remote.Option) error {
		found, err := f.get(ref.Context().Digest(imageDigest), options)
		if err == nil {
			err = f.verify(ctx, policy, from, repositoryImage{found, ref.Context(), options})
		}
		return classified("verifying", from.Ref, err)
	})
	if fault := (*Error)(nil); errors.As(err, &fault) && imageDigest != from.digest() && (fault.Class == Unverified || fault.Class == NotFound) {
		return &source.RefetchError{Err: err}
	}
	return err
}

// policy returns the policy of the cluster that applies to a source; nil if none does. It returns an error if the policy is invalid. Errors are of
// type *Error.
func (f *Fetcher) policy(ctx context.Context, action string, from Source) (*imagepolicy.Policy, error) {
	policies, err := f.registries.Policies(ctx)
	if err != nil {
		return nil, &Error{Class: RegistryConfig, Action: action, Ref: from.Ref, Err: err}
	}
	reference, err := name.ParseReference(from.policyReference())
	if err != nil {
		return nil, &Error{Class: Invalid, Action: action, Ref: from.Ref, Err: err}
	}
	namespace := from.PolicyNamespace
	if f.pullSecrets != nil {
		namespace = cmp.Or(namespace, f.pullSecrets.Namespace)
	}
	policy := policies.For(reference, namespace)
	if policy != nil && policy.Problem != "" {
		return nil, &Error{Class: RegistryConfig, Action: action, Ref: from.Ref, Err: errors.New(policy.Problem)}
	}
	return policy, nil
}

func keyOf(policy *imagepolicy.Policy, from Source, digest string) verifiedKey {
	return verifiedKey{reference: from.policyReference(), digest: digest, requirements: sha256.Sum256([]byte(policy.Requirements))}
}

// verify returns an error unless the policy is nil, or the signatures of an image in its repository satisfy it. As in CRI-O, the image of an
// index needs a signature, and the index needs none.
func (f *Fetcher) verify(ctx context.Context, policy *imagepolicy.Policy, from Source, image repositoryImage) error {
	if policy == nil {
		return nil
	}
	key := keyOf(policy, from, image.Digest.String())
	if f.verified.has(key) {
		return nil
	}
	reader := &signatureReader{fetcher: f, image: image}
	of := signatures.Image{Reference: from.policyReference(), Manifest: image.Manifest.Manifest, Digest: key.digest}
	var reason error
	for _, read := range []func() error{reader.readTag, func() error { return reader.readReferrers(ctx) }} {
		before := len(reader.found)
		if err := read(); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			reason = cmp.Or(reason, fmt.Errorf("its signatures cannot be read: %w", err))
		}
		if len(reader.found) == before {
			continue
		}
		of.Signatures = reader.found
		err := f.evaluate(ctx, of, policy)
		if err == nil {
			f.verified.add(key)
			return nil
		}
		if classOf(err) != Unverified {
			return err
		}
		reason = err // says more than that other signatures cannot be read
	}
	subject := ""
	if from.digest() != key.digest {
		subject = fmt.Sprintf(" (image %s of the index)", key.digest)
	}
	class := Unverified
	if reason != nil {
		class = classOf(reason)
	} else {
		reason = errors.New("it has no signature")
	}
	return marked(class, "the image does not satisfy %s: %w%s%s", policy, reason, reader.omittedText(), subject)
}

// evaluate returns an error unless the signatures of an image satisfy a policy: of class Unverified if they do not. One image is evaluated at a
// time, because that takes memory and disk.
func (f *Fetcher) evaluate(ctx context.Context, of signatures.Image, policy *imagepolicy.Policy) error {
	select {
	case f.evaluating <- struct{}{}:
		defer func() { <-f.evaluating }()
	case <-ctx.Done():
		return ctx.Err()
	}
	err := signatures.Verify(ctx, f.temporary, of, policy.Requirements)
	rejected, invalid := (*signatures.RejectedError)(nil), (*signatures.PolicyError)(nil)
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case errors.As(err, &rejected):
		return marked(Unverified, "%w", err)
	case errors.As(err, &invalid):
		return marked(RegistryConfig, "%s: %w", policy, err)
	case errors.Is(err, signatures.ErrNoEngine):
		return marked(NoPolicyEngine, "%s applies to the image, and %w", policy, err)
	}
	return marked(Storage, "%w", err)
}
