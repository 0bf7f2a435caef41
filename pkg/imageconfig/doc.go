// Package imageconfig keeps the image configuration of a cluster: the mirrors of images, the registries that are allowed, blocked or insecure,
// and the certificate authorities of registries. It watches the kinds that the cluster serves, so a change counts for the next pull.
// pkg/mirrors has the rules; pkg/source/image pulls.
package imageconfig
