// Package mirrors determines the locations from which an image is pulled: the mirrors that a cluster has for its repository, and the
// repository itself. Its input is the ImageDigestMirrorSets, ImageTagMirrorSets and ImageContentSourcePolicies of the cluster, and the
// registries that its Image "cluster" allows, blocks or declares insecure.
//
// The rules are those of containers-registries.conf(5) and containers-policy.json(5), for the files that the machine-config operator writes from
// these objects, so that a bundle is pulled from the same locations as the image of a Pod. There is one exception: mirrors of a source without a
// port do not serve a registry with a port. The library containers/image puts that port behind the mirror, and the resulting reference is often
// invalid.
//
// The package is pure: it sends no requests.
package mirrors
