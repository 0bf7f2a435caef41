// Package imageconfig keeps the image configuration of a cluster: the mirrors of images, the registries that are allowed, blocked or insecure,
// the certificate authorities of registries, and the image policies. It watches the kinds that the cluster serves, so a change takes effect at
// the next pull. pkg/mirrors and pkg/imagepolicy have the rules; pkg/source/image pulls.
package imageconfig
