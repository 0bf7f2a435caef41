// Package image fetches the content of a container image: a reference is resolved to a digest once, and what the digest
// names is unpacked into a directory, within limits and never outside of it.
//
// Unpacking treats the image as hostile: an entry that would leave the directory, that is no file, directory or link, or
// that goes over a limit refuses the whole image, and the error names the entry. No layer is held in memory.
//
// A Fetcher is the opener of sources of type image. The package does not know what a bundle is, where content is stored, or when to try
// again; the Class of an error says what helps.
package image
