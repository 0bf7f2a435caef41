// Package store keeps what has been fetched and rendered: bundle content on disk, addressed by the digest of its source
// (Content), and revisions of rendered objects in the cluster (Revisions).
//
// Content is a cache: it may be lost at any time, and is fetched again when it is needed. Drift is repaired from revisions, without a registry.
// Both survive a crash at any moment: what is unfinished is never read, and is replaced.
//
// It does not know where content comes from, what a bundle is, or which revision should run; the bundle and
// bundledeployment controllers do.
package store
