//go:build containers_image_openpgp

package signatures

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"go.podman.io/image/v5/directory"
	"go.podman.io/image/v5/docker/reference"
	imagesource "go.podman.io/image/v5/image"
	"go.podman.io/image/v5/manifest"
	"go.podman.io/image/v5/signature"
	"go.podman.io/image/v5/types"
)

// HasEngine is whether this program has the policy engine. Without it, Verify returns ErrNoEngine.
const HasEngine = true

// Verify returns nil if the signatures of an image satisfy requirements. It returns a *RejectedError if they do not, a *PolicyError if a
// requirement is invalid, and another error if neither can be determined. requirements is a JSON array as in containers-policy.json(5). Verify uses
// a directory below dir, which it removes. It creates dir if it does not exist; empty means the system's directory for temporary files.
func Verify(ctx context.Context, dir string, of Image, requirements string) (err error) {
	var all []json.RawMessage
	if err := json.Unmarshal([]byte(requirements), &all); err != nil || len(all) == 0 {
		return &PolicyError{fmt.Errorf("it has no list of requirements: %w", err)}
	}
	// The engine's digest of a manifest with signatures inside is not that of its bytes, and could be that of another manifest.
	digest, err := manifest.Digest(of.Manifest)
	if err != nil || digest.String() != of.Digest || fmt.Sprintf("sha256:%x", sha256.Sum256(of.Manifest)) != of.Digest {
		return &RejectedError{fmt.Errorf("its manifest does not have digest %s", of.Digest)}
	}
	identity, err := reference.ParseNormalizedNamed(of.Reference)
	if err != nil {
		return &RejectedError{fmt.Errorf("the name of the image is invalid: %w", err)}
	}
	if dir, err = temporary(dir); err != nil {
		return fmt.Errorf("verifying signatures: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := write(dir, digest.Encoded(), of); err != nil {
		return fmt.Errorf("verifying signatures: %w", err)
	}
	// The engine reads signatures of this format only through sources of its own. The one for a directory sends no requests.
	written, err := directory.NewReference(dir)
	if err != nil {
		return fmt.Errorf("verifying signatures: %w", err)
	}
	source, err := written.NewImageSource(ctx, nil)
	if err != nil {
		return fmt.Errorf("verifying signatures: %w", err)
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	named := imagesource.UnparsedInstanceWithReference(imagesource.UnparsedInstance(source, &digest), namedReference{written, reference.TagNameOnly(identity)})
	for _, each := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := satisfy(ctx, named, each); err != nil {
			return err
		}
	}
	return nil
}

// satisfy returns an error unless an image satisfies one requirement.
func satisfy(ctx context.Context, image types.UnparsedImage, requirement json.RawMessage) (err error) {
	policy, err := signature.NewPolicyFromBytes(fmt.Appendf(nil, `{"default":[%s]}`, requirement))
	if err != nil {
		return &PolicyError{err}
	}
	evaluation, err := signature.NewPolicyContext(policy)
	if err != nil {
		return fmt.Errorf("verifying signatures: %w", err)
	}
	defer func() { err = errors.Join(err, evaluation.Destroy()) }()
	// At least one signature must be verified. No requirement that accepts anything counts.
	evaluation.RequireSignatureVerification(true)
	switch isAllowed, err := evaluation.IsRunningImageAllowed(ctx, image); {
	case err != nil:
		return &RejectedError{err}
	case !isAllowed:
		return &RejectedError{errors.New("the signatures are not accepted")}
	}
	return nil
}

// namedReference is a reference to a directory with the name of the image that is in it.
type namedReference struct {
	types.ImageReference
	named reference.Named
}

// DockerReference returns the name, which the engine compares with the identity in a signature.
func (r namedReference) DockerReference() reference.Named { return r.named }

// temporary creates a directory below dir.
func temporary(dir string) (string, error) {
	if dir != "" {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", err
		}
	}
	return os.MkdirTemp(dir, "signatures-")
}

// sigstoreJSON is a signature in the format in which the engine stores it.
type sigstoreJSON struct {
	MediaType   string            `json:"mimeType"`
	Payload     []byte            `json:"payload"`
	Annotations map[string]string `json:"annotations"`
}

// write writes an image with its signatures to a directory, in the format of the engine. The names of the files begin with the digest, without its
// algorithm.
func write(dir, prefix string, of Image) error {
	if err := os.WriteFile(filepath.Join(dir, prefix+".manifest.json"), of.Manifest, 0o600); err != nil {
		return err
	}
	for i, each := range of.Signatures {
		text, err := json.Marshal(sigstoreJSON(each))
		if err != nil {
			return err
		}
		content := append([]byte("\x00sigstore-json\n"), text...)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s.signature-%d", prefix, i+1)), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}
