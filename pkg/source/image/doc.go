// Package image fetches the content of container images. It resolves a reference to a digest, and unpacks the image with that digest into a
// directory, within limits.
//
// Unpacking treats the image as hostile. It refuses the whole image if an entry would leave the directory, exceeds a limit, or is not a
// file, directory or link. The error names the entry. No layer is held in memory.
//
// A Fetcher is the Opener for sources of type image. The package does not interpret or store the content, and does not retry: the Class of
// an error determines the remedy.
package image
