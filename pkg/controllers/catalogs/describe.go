package catalogs

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/catalog"
)

// CatalogSources and ClusterCatalogs are the two kinds of catalogs. Both are read as unstructured, so that neither OLM v0 nor OLM v1 is
// imported.
var (
	CatalogSources  = schema.GroupVersionResource{Group: "operators.coreos.com", Version: "v1alpha1", Resource: "catalogsources"}
	ClusterCatalogs = schema.GroupVersionResource{Group: "olm.operatorframework.io", Version: "v1", Resource: "clustercatalogs"}
)

// description is the relevant part of one catalog object.
type description struct {
	id       catalog.ID
	labels   map[string]string
	priority int
	// endpoint is a gRPC address or an HTTPS base URL.
	endpoint string
	// source identifies the served content by the spec and the address. If it changes, all content may have changed.
	source string
	// content is the digest of the served content, which is equal for equal content. It is empty if the digest is unknown.
	content string
	// connection changes whenever the content may have changed, but may also change for other reasons.
	connection string
	// poll is the time after which content without a digest is read again; zero means never.
	poll time.Duration
	// notServing is the reason why the catalog cannot be read now; empty if it can be read. disabled is true if an admin disabled the
	// catalog.
	notServing string
	disabled   bool
}

// describeCatalogSource describes a CatalogSource. OLM writes its address and the connection state to status.connectionState. A new
// lastConnect may mean a new registry pod. content stays empty, because the object does not identify the content that the pod serves; see
// servedImages.
func describeCatalogSource(object *unstructured.Unstructured) description {
	d := description{
		id:       catalog.ID{Kind: catalog.KindCatalogSource, Namespace: object.GetNamespace(), Name: object.GetName()},
		labels:   object.GetLabels(),
		priority: int(integer(object, "spec", "priority")),
		endpoint: text(object, "status", "connectionState", "address"),
	}
	state := text(object, "status", "connectionState", "lastObservedState")
	switch {
	case d.endpoint == "":
		d.notServing = "its status names no address yet; look at the CatalogSource's pod"
	case state != "READY": // the exact state changes with each of OLM's attempts
		d.notServing = "its status.connectionState.lastObservedState is not \"READY\"; look at the CatalogSource's pod"
	}
	d.source = fmt.Sprintf("%s|%s|%s|%s", object.GetUID(), d.endpoint, text(object, "spec", "image"),
		text(object, "status", "configMapReference", "resourceVersion"))
	d.connection = text(object, "status", "connectionState", "lastConnect")
	if interval, err := time.ParseDuration(text(object, "spec", "updateStrategy", "registryPoll", "interval")); err == nil && interval > 0 {
		d.poll = interval
	}
	return d
}

// describeClusterCatalog returns the description of a ClusterCatalog. It identifies the content by the resolved image, so that content that
// is only unpacked again is not read again.
func describeClusterCatalog(object *unstructured.Unstructured) description {
	d := description{
		id:       catalog.ID{Kind: catalog.KindClusterCatalog, Name: object.GetName()},
		labels:   object.GetLabels(),
		priority: int(integer(object, "spec", "priority")),
		endpoint: text(object, "status", "urls", "base"),
	}
	switch {
	case text(object, "spec", "availabilityMode") == "Unavailable":
		d.notServing, d.disabled = "its spec.availabilityMode is Unavailable", true
	case !hasCondition(object, "Serving"):
		d.notServing = "its Serving condition is not True; look at the ClusterCatalog's status"
	case d.endpoint == "":
		d.notServing = "its status.urls.base is empty; look at the ClusterCatalog's status"
	}
	d.source = fmt.Sprintf("%s|%s", object.GetUID(), d.endpoint)
	d.content = text(object, "status", "resolvedSource", "image", "ref")
	d.connection = text(object, "status", "lastUnpacked")
	return d
}

// hasCondition reports whether an object has a condition of this type with status True.
func hasCondition(object *unstructured.Unstructured, conditionType string) bool {
	conditions, _, err := unstructured.NestedSlice(object.Object, "status", "conditions")
	if err != nil {
		return false
	}
	for _, entry := range conditions {
		condition, ok := entry.(map[string]any)
		if ok && condition["type"] == conditionType {
			return condition["status"] == "True"
		}
	}
	return false
}

// text and integer read a field of another project's object. They return the zero value if the field is missing or has another type,
// because this package does not validate such objects.
func text(object *unstructured.Unstructured, path ...string) string {
	value, _, err := unstructured.NestedString(object.Object, path...)
	if err != nil {
		return ""
	}
	return value
}

func integer(object *unstructured.Unstructured, path ...string) int64 {
	value, _, err := unstructured.NestedInt64(object.Object, path...)
	if err != nil {
		return 0
	}
	return value
}
