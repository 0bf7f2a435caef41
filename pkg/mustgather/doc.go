// Package mustgather reads and writes API objects in the directory layout of oc adm inspect and oc adm must-gather. The input
// directories of OpenShift Manager have the same layout:
//
//	cluster-scoped-resources/GROUP/RESOURCE.yaml        a List
//	cluster-scoped-resources/GROUP/RESOURCE/NAME.yaml   one object
//	namespaces/NAMESPACE/GROUP/RESOURCE.yaml            a List
//	namespaces/NAMESPACE/GROUP/RESOURCE/NAME.yaml       one object
//	namespaces/NAMESPACE/NAMESPACE.yaml                 the Namespace
//	not-collected.yaml                                  the resources and namespaces that the directory lacks; see NotCollected
//
// GROUP is "core" for the group without a name. A colon in NAME is written as -COLON-, and may also be read as a colon.
//
// The package does not know which kinds exist. It reads neither the folder with the content of catalogs and images, nor the story that the
// command capture writes. The commands apply-configuration, input-resources, output-resources and capture use it.
package mustgather
