//go:build containers_image_openpgp

package signatures

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"go.podman.io/image/v5/directory"
	"go.podman.io/image/v5/docker/reference"
	imagesource "go.podman.io/image/v5/image"
	"go.podman.io/image/v5/signature"
	"go.podman.io/image/v5/types"
)

// Verify returns nil if the signatures of an image satisfy requirements, a *RejectedError if they do not, and another error if that cannot be
// determined. requirements is a JSON array as in containers-policy.json(5). Verify uses a directory below dir, which it removes; empty means the
// system's directory for temporary files.
func Verify(ctx context.Context, dir string, of Image, requirements string) (err error) {
	policy, err := signature.NewPolicyFromBytes([]byte(`{"default":` + requirements + `}`))
	if err != nil {
		return &RejectedError{fmt.Errorf("the policy is invalid: %w", err)}
	}
	evaluation, err := signature.NewPolicyContext(policy)
	if err != nil {
		return fmt.Errorf("verifying signatures: %w", err)
	}
	defer func() { err = errors.Join(err, evaluation.Destroy()) }()
	identity, err := reference.ParseNormalizedNamed(of.Reference)
	if err != nil {
		return &RejectedError{fmt.Errorf("the name of the image is invalid: %w", err)}
	}
	// The engine reads signatures of this format only through sources of its own. The one for a directory sends no requests.
	if dir, err = os.MkdirTemp(dir, "signatures-"); err != nil {
		return fmt.Errorf("verifying signatures: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := write(dir, of); err != nil {
		return fmt.Errorf("verifying signatures: %w", err)
	}
	written, err := directory.NewReference(dir)
	if err != nil {
		return fmt.Errorf("verifying signatures: %w", err)
	}
	source, err := written.NewImageSource(ctx, nil)
	if err != nil {
		return fmt.Errorf("verifying signatures: %w", err)
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	named := imagesource.UnparsedInstanceWithReference(imagesource.UnparsedInstance(source, nil), namedReference{written, reference.TagNameOnly(identity)})
	switch isAllowed, err := evaluation.IsRunningImageAllowed(ctx, named); {
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

// sigstoreJSON is a signature in the format in which the engine stores it.
type sigstoreJSON struct {
	MediaType   string            `json:"mimeType"`
	Payload     []byte            `json:"payload"`
	Annotations map[string]string `json:"annotations"`
}

// write writes an image with its signatures to a directory, in the format of the engine.
func write(dir string, of Image) error {
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), of.Manifest, 0o600); err != nil {
		return err
	}
	for i, each := range of.Signatures {
		text, err := json.Marshal(sigstoreJSON(each))
		if err != nil {
			return err
		}
		content := append([]byte("\x00sigstore-json\n"), text...)
		if err := os.WriteFile(filepath.Join(dir, "signature-"+strconv.Itoa(i+1)), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}
