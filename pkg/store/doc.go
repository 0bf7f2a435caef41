// Package store stores fetched and rendered content: bundle content on disk, addressed by the digest of its source (Content), and revisions
// of rendered objects in the cluster (Revisions).
//
// Content is a cache: it may be lost at any time, and is fetched again when it is needed. Drift is reverted from revisions, without a
// registry. Both survive a crash at any point: unfinished data is never read, and is replaced.
//
// The package does not depend on where content comes from, what a bundle is, or which revision should run; the bundle and bundledeployment
// controllers decide that.
package store
