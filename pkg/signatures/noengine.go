//go:build !containers_image_openpgp

package signatures

import (
	"context"
	"errors"
)

// Verify returns an error, because this program has no policy engine.
func Verify(context.Context, string, Image, string) error {
	return &RejectedError{errors.New("this program was built without the tag containers_image_openpgp, so it cannot verify signatures")}
}
