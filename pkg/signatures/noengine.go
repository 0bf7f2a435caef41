//go:build !containers_image_openpgp

package signatures

import (
	"context"
	"errors"
)

// Verify always returns a *RejectedError, because this build has no policy engine.
func Verify(context.Context, string, Image, string) error {
	return &RejectedError{errors.New("this build of the manager cannot verify signatures; build it with -tags=containers_image_openpgp")}
}
