package image

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"k8s.io/utils/lru"

	"github.com/openshift/platform-operators/pkg/imagepolicy"
	"github.com/openshift/platform-operators/pkg/signatures"
)

// maxVerified is the maximum number of verified images that are remembered.
const maxVerified = 4096

// verifiedImages remembers which images satisfy which requirements, so that an image is verified once for each digest and policy. It is safe for
// concurrent use.
type verifiedImages struct{ cache *lru.Cache }

// verifiedKey identifies a verification: the image as the user names it, with which identities in signatures are compared, the digest that is
// signed, and the requirements.
type verifiedKey struct{ reference, digest, requirements string }

func newVerifiedImages() verifiedImages { return verifiedImages{lru.New(maxVerified)} }

func (v verifiedImages) add(key verifiedKey) { v.cache.Add(key, nil) }

func (v verifiedImages) has(key verifiedKey) bool {
	_, found := v.cache.Get(key)
	return found
}

// Verify returns nil if no policy of the cluster applies to a source, or if the signatures of its image satisfy the policy. The source's reference
// must have a digest. imageDigest is the digest of the image that has the files; if it is empty, Verify selects the image as Unpack does. Verify
// sends no request if it has verified this image for this policy before. Errors are of type *Error.
func (f *Fetcher) Verify(ctx context.Context, from Source, imageDigest string) error {
	policy, err := f.policy(ctx, "verifying", from)
	if policy == nil || err != nil {
		return err
	}
	if imageDigest != "" && f.verified.has(keyOf(policy, from, imageDigest)) {
		return nil
	}
	_, err = f.pull(ctx, from, func(ctx context.Context, ref name.Digest, options []remote.Option) error {
		find := f.selectImage
		if imageDigest != "" {
			ref, find = ref.Context().Digest(imageDigest), f.get
		}
		found, err := find(ref, options)
		if err == nil {
			err = f.verify(ctx, policy, from, imageAt{found, ref.Context(), options})
		}
		return classified("verifying", from.Ref, err)
	})
	return err
}

// policy returns the policy of the cluster that applies to a source; nil if none does. It returns an error if a policy is invalid. Errors are of type *Error.
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
	return verifiedKey{reference: from.policyReference(), digest: digest, requirements: policy.Requirements}
}

// imageAt is the manifest of an image in a repository, with the options of requests for it.
type imageAt struct {
	Manifest
	in      name.Repository
	options []remote.Option
}

// verify returns an error unless the policy is nil, or the signatures of an image in its repository satisfy it. As in CRI-O, the image of an
// index needs a signature, and the index needs none.
func (f *Fetcher) verify(ctx context.Context, policy *imagepolicy.Policy, from Source, image imageAt) error {
	if policy == nil {
		return nil
	}
	key := keyOf(policy, from, image.Digest.String())
	if f.verified.has(key) {
		return nil
	}
	signed := signatures.Image{Reference: from.policyReference(), Manifest: image.Manifest.Manifest}
	reason := errors.New("it has no signature")
	for _, attached := range []func(imageAt) ([]signatures.Signature, error){f.signaturesFromTag, f.signaturesFromReferrers} {
		found, err := attached(image)
		if err != nil {
			return fmt.Errorf("reading the signatures of %s: %w", key.digest, err)
		}
		if len(found) == 0 {
			continue
		}
		signed.Signatures = append(signed.Signatures, found...)
		err = signatures.Verify(ctx, f.temporary, signed, policy.Requirements)
		if err == nil {
			f.verified.add(key)
			return nil
		}
		if rejected := (*signatures.RejectedError)(nil); !errors.As(err, &rejected) {
			return marked(Storage, "%w", err)
		}
		reason = err
	}
	subject := "the image"
	if from.digest() != key.digest {
		subject = fmt.Sprintf("image %s of the index", key.digest)
	}
	return marked(Unverified, "%s does not satisfy %s: %w", subject, policy, reason)
}
