package catalogs

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/catalog"
)

// The two kinds of catalog that a cluster may have. Both are read as own minimal types, so that neither OLM is imported.
var (
	catalogSources  = schema.GroupVersionResource{Group: "operators.coreos.com", Version: "v1alpha1", Resource: "catalogsources"}
	clusterCatalogs = schema.GroupVersionResource{Group: "olm.operatorframework.io", Version: "v1", Resource: "clustercatalogs"}
)

// description is what the controller needs to know of one catalog object.
type description struct {
	id       catalog.ID
	labels   map[string]string
	priority int
	// endpoint is a gRPC address or an HTTPS base URL.
	endpoint string
	// serves is what is served where, as far as the spec and the address say it; when it changes, so may everything.
	serves string
	// content names the content that is served, by digest: as long as it is the same, so is the content. Empty where nothing
	// tells.
	content string
	// connection changes when the content may have changed; it also changes for other reasons.
	connection string
	// poll is how often to look again where nothing names the content; zero is never.
	poll time.Duration
	// notServing says why the catalog cannot be read now; empty when it can. withheld is that its admin wants it so.
	notServing string
	withheld   bool
}

// describeCatalogSource reads a CatalogSource: OLM writes the address and the state of the connection that it holds into
// status.connectionState. Its content is what the registry pod behind the address serves, of which the object itself says
// nothing (servedImages does); a new connection (lastConnect) may be the sign of a new pod.
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
	case state != "READY": // which other state it is changes with every attempt of OLM's
		d.notServing = "its status.connectionState.lastObservedState is not \"READY\"; look at the CatalogSource's pod"
	}
	d.serves = fmt.Sprintf("%s|%s|%s|%s", object.GetUID(), d.endpoint, text(object, "spec", "image"),
		text(object, "status", "configMapReference", "resourceVersion"))
	d.connection = text(object, "status", "connectionState", "lastConnect")
	if interval, err := time.ParseDuration(text(object, "spec", "updateStrategy", "registryPoll", "interval")); err == nil && interval > 0 {
		d.poll = interval
	}
	return d
}

// describeClusterCatalog reads a ClusterCatalog: its resolved image names its content, however often that is unpacked.
func describeClusterCatalog(object *unstructured.Unstructured) description {
	d := description{
		id:       catalog.ID{Kind: catalog.KindClusterCatalog, Name: object.GetName()},
		labels:   object.GetLabels(),
		priority: int(integer(object, "spec", "priority")),
		endpoint: text(object, "status", "urls", "base"),
	}
	switch {
	case text(object, "spec", "availabilityMode") == "Unavailable":
		d.notServing, d.withheld = "its spec.availabilityMode is Unavailable", true
	case !hasCondition(object, "Serving"):
		d.notServing = "its Serving condition is not True; look at the ClusterCatalog's status"
	case d.endpoint == "":
		d.notServing = "its status.urls.base is empty; look at the ClusterCatalog's status"
	}
	d.serves = fmt.Sprintf("%s|%s", object.GetUID(), d.endpoint)
	d.content = text(object, "status", "resolvedSource", "image", "ref")
	d.connection = text(object, "status", "lastUnpacked")
	return d
}

// hasCondition says whether a condition is True.
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

// text and integer read a field of another project's object; what is absent or of another type reads as zero, because the
// object is not ours to judge.
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
