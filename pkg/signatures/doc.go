// Package signatures verifies the signatures of images with the policy engine of CRI-O. It sends no requests: pkg/source/image fetches the
// signatures, and pkg/imagepolicy has what a policy requires.
//
// The engine is compiled only with the tag containers_image_openpgp, because it would need the C library gpgme otherwise. The Makefile sets the
// tag. Without it, no image satisfies a policy.
package signatures
