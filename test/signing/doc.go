// Package signing signs images as cosign does, with keys and certificate authorities of the test, and records the signatures in a transparency
// log of the test. Nothing leaves the process but what Attach pushes to a registry.
package signing
