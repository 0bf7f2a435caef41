// Package mirrors determines the locations from which an image is pulled: the mirrors that a cluster has for its repository, and the
// repository itself. Its input are the ImageDigestMirrorSets, ImageTagMirrorSets and ImageContentSourcePolicies of the cluster, and the
// registries that its Image "cluster" allows, blocks or declares insecure.
//
// The rules are those of containers-registries.conf(5), for the file that the machine-config operator writes from these objects, so that a
// bundle is pulled from the same places as the image of a Pod. There is one exception: a source without a port does not match a registry
// with a port. registries.conf has that match by mistake, and the name of such a mirror is often invalid.
//
// The package is pure: it sends no requests.
package mirrors
