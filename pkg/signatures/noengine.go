//go:build !containers_image_openpgp

package signatures

import "context"

// HasEngine is whether this program has the policy engine. Without it, Verify returns ErrNoEngine.
const HasEngine = false

// Verify always returns ErrNoEngine.
func Verify(context.Context, string, Image, string) error { return ErrNoEngine }
