// Package signatures verifies the signatures of images with the policy engine of CRI-O, so that a bundle image is accepted if a Pod with it is.
// It sends no requests: pkg/source/image fetches the signatures, and pkg/imagepolicy has what a policy requires.
//
// The engine is only part of programs that are built with the tag containers_image_openpgp, because it needs a C library otherwise. The Makefile
// sets the tag. Without it, no image satisfies a policy.
package signatures
