package capture

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/bindata"
	"github.com/openshift/platform-operators/pkg/applyconfiguration"
	"github.com/openshift/platform-operators/pkg/manifestserver"
	"github.com/openshift/platform-operators/pkg/mustgather"
)

// maxRounds is the maximum number of rounds until a round reads nothing new. The reads of a round depend on those of the previous one: a round
// reads the objects of a bundle only once it has the revision that lists them.
const maxRounds = 20

// allDefinitions is the read of all CustomResourceDefinitions.
var allDefinitions = manifestserver.Read{Verb: manifestserver.VerbList, Resource: definitions}

var definitions = apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions")

// first are the reads on which a round depends although no controller sends them: the kinds of the cluster, its version, and the manager's
// namespace.
var first = []manifestserver.Read{
	allDefinitions,
	{Verb: manifestserver.VerbGet, Resource: schema.GroupVersionResource{Group: "config.openshift.io", Version: "v1", Resource: "clusteroperators"}, Name: "kube-apiserver"},
	{Verb: manifestserver.VerbGet, Resource: schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, Name: "openshift-platform-operators"},
}

// Result is a capture.
type Result struct {
	// Objects are sorted. Secrets have no values, except for public certificates. Stored revisions keep their objects, of which those of kind
	// Secret have no values.
	Objects []mustgather.Object
	// NotCollected lists what the round reads and the source may lack.
	NotCollected mustgather.NotCollected
	// Rounds is the number of rounds that Capture ran.
	Rounds int
	// Errs are the errors of syncs in the last round, or nil.
	Errs error
}

// capture is the state of Capture.
type capture struct {
	source  Source
	objects map[objectID]mustgather.Object
	read    map[manifestserver.Read]bool
	// whole are the names of the CustomResourceDefinitions that a round reads by name, and not only in a list. They keep their schemas.
	whole    map[string]bool
	lacks    mustgather.NotCollected
	progress func(string)
}

// objectID identifies an object independently of its API version.
type objectID struct {
	schema.GroupResource
	namespace, name string
}

// Capture runs rounds of the controllers, and reads what they read from the source, until a round reads nothing new. kubernetesVersion is the
// version of the API server; empty for that of ClusterOperator kube-apiserver. Capture calls progress before each round.
func Capture(ctx context.Context, source Source, kubernetesVersion string, now time.Time, progress func(string)) (Result, error) {
	c := &capture{source: source, objects: map[objectID]mustgather.Object{}, read: map[manifestserver.Read]bool{}, whole: map[string]bool{}, progress: progress}
	wanted := slices.Clone(first)
	for round := 1; round <= maxRounds; round++ {
		if err := c.readAll(ctx, wanted); err != nil {
			return Result{}, err
		}
		progress(fmt.Sprintf("round %d: %d objects", round, len(c.objects)))
		reads, errs, err := applyconfiguration.Reads(ctx, &mustgather.Input{Objects: c.sorted(), NotCollected: c.lacks}, source.Inferred(), kubernetesVersion, now)
		if err != nil {
			return Result{}, fmt.Errorf("running the controllers on the objects that were read so far: %w", err)
		}
		wanted = slices.DeleteFunc(reads, func(each manifestserver.Read) bool { return c.read[each] || each.Verb == manifestserver.VerbWatch })
		if len(wanted) == 0 {
			builtIn, err := bindata.Definitions()
			return Result{Objects: c.pruned(builtIn), NotCollected: union(c.lacks, source.Lacks()), Rounds: round, Errs: errs}, err
		}
	}
	return Result{}, fmt.Errorf("after %d rounds, the controllers still read new objects, such as %v; report this as a bug", maxRounds, wanted[0])
}

// union returns what one of two lists has. An entry of the source also counts if no round needed it: with content, a round needs more.
func union(a, b mustgather.NotCollected) mustgather.NotCollected {
	for _, each := range b.Resources {
		if !slices.Contains(a.Resources, each) {
			a.Resources = append(a.Resources, each)
		}
	}
	for _, each := range b.Namespaces {
		if !slices.Contains(a.Namespaces, each) {
			a.Namespaces = append(a.Namespaces, each)
		}
	}
	return a
}

// readAll reads objects from the source.
func (c *capture) readAll(ctx context.Context, wanted []manifestserver.Read) error {
	for _, each := range wanted {
		c.read[each] = true
		found, err := c.source.Read(ctx, each)
		if errors.Is(err, errNotCollected) {
			c.note(each)
		} else if err != nil {
			return err
		}
		for _, object := range found {
			if each.Resource == definitions && each != allDefinitions {
				c.whole[object.GetName()] = true
			}
			c.objects[objectID{object.Resource.GroupResource(), object.GetNamespace(), object.GetName()}] = object
		}
	}
	return nil
}

// note records that a resource was not collected.
func (c *capture) note(read manifestserver.Read) {
	resource := metav1.GroupResource(read.Resource.GroupResource())
	if !slices.Contains(c.lacks.Resources, resource) {
		c.lacks.Resources = append(c.lacks.Resources, resource)
	}
}

// sorted returns the objects that were read, sorted by their identity.
func (c *capture) sorted() []mustgather.Object {
	objects := make([]mustgather.Object, 0, len(c.objects))
	for _, each := range c.objects {
		objects = append(objects, each)
	}
	slices.SortFunc(objects, mustgather.Compare)
	return objects
}

// pruned returns the objects without the values of Secrets, and without the schemas of kinds that have no objects or that are built in.
func (c *capture) pruned(builtIn []*apiextensionsv1.CustomResourceDefinition) []mustgather.Object {
	withObjects := map[schema.GroupResource]bool{}
	for id := range c.objects {
		withObjects[id.GroupResource] = true
	}
	for _, each := range builtIn {
		withObjects[schema.ParseGroupResource(each.Name)] = false
	}
	objects := c.sorted()
	for i, each := range objects {
		objects[i].Unstructured = each.DeepCopy()
		if each.Resource.GroupResource() == definitions.GroupResource() && !c.whole[each.GetName()] && !withObjects[schema.ParseGroupResource(each.GetName())] {
			WithoutSchemas(objects[i].Unstructured)
		}
	}
	return withoutValues(objects)
}

// WithoutSchemas replaces the schemas of a CustomResourceDefinition with one that permits everything. It is for definitions of which only the
// existence matters.
func WithoutSchemas(definition *unstructured.Unstructured) {
	versions, _, _ := unstructured.NestedSlice(definition.Object, "spec", "versions")
	for _, each := range versions {
		if version, isMap := each.(map[string]any); isMap {
			version["schema"] = map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}}
			delete(version, "additionalPrinterColumns")
			delete(version, "selectableFields")
		}
	}
	_ = unstructured.SetNestedSlice(definition.Object, versions, "spec", "versions") // what NestedSlice returns can be set
	definition.SetManagedFields(nil)
	unstructured.RemoveNestedField(definition.Object, "metadata", "annotations")
}
