package scenarios

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/mustgather"
)

// objectCapture reads the objects of a cluster for rounds. It reads only the resources that have changed since the last time, and returns
// unchanged objects by the same pointers.
type objectCapture struct {
	// revision is the revision up to which objects are known.
	revision int64
	objects  map[schema.GroupResource][]*unstructured.Unstructured
}

// definingResources are the resources whose objects add and remove other resources.
var definingResources = []string{"customresourcedefinitions", "apiservices"}

// eventResource is the resource of Events. Rounds do not create an Event again that the input has.
var eventResource = corev1.SchemeGroupVersion.WithResource("events")

// update reads what has changed.
func (c *objectCapture) update(ctx context.Context, s *Story) error {
	revision := s.Revision()
	changed, isAll := c.changed(s)
	c.revision = revision
	if isAll {
		all, err := s.Objects(ctx)
		if err != nil {
			return err
		}
		before := c.objects
		c.objects = map[schema.GroupResource][]*unstructured.Unstructured{}
		for resource, found := range all {
			c.objects[resource] = known(before[resource], found)
		}
		changed = map[schema.GroupResource]bool{eventResource.GroupResource(): true}
	}
	for resource := range changed {
		version := eventResource.Version
		if known := c.objects[resource]; len(known) > 0 {
			version = known[0].GroupVersionKind().Version
		} else if resource != eventResource.GroupResource() {
			c.revision = 0 // the version of the resource is not known
			return c.update(ctx, s)
		}
		found, err := s.ObjectsOf(ctx, resource.WithVersion(version))
		if err != nil {
			return err
		}
		c.objects[resource] = known(c.objects[resource], found)
	}
	return nil
}

// changed returns the resources that have changed since the last update. isAll is true if all have to be read.
func (c *objectCapture) changed(s *Story) (changed map[schema.GroupResource]bool, isAll bool) {
	if c.revision == 0 {
		return nil, true
	}
	events, err := s.Events(c.revision)
	if err != nil {
		return nil, true // the history was compacted, or a snapshot restored
	}
	changed = map[schema.GroupResource]bool{}
	for _, event := range events {
		if slices.Contains(definingResources, event.Resource.Resource) {
			return nil, true
		}
		if event.Resource.Resource != "leases" {
			changed[event.Resource] = true
		}
	}
	return changed, false
}

// known returns objects, with the pointers of those that have not changed.
func known(before []*unstructured.Unstructured, found []unstructured.Unstructured) (all []*unstructured.Unstructured) {
	for i := range found {
		object := &found[i]
		at := slices.IndexFunc(before, func(each *unstructured.Unstructured) bool {
			return each.GetUID() == object.GetUID() && each.GetResourceVersion() == object.GetResourceVersion()
		})
		if at >= 0 {
			object = before[at]
		}
		all = append(all, object)
	}
	return all
}

// input returns the objects as the input of a round.
func (c *objectCapture) input() *mustgather.Input {
	input := &mustgather.Input{}
	for resource, all := range c.objects {
		for _, each := range all {
			input.Objects = append(input.Objects, mustgather.Object{Unstructured: each, Resource: resource.WithVersion(each.GroupVersionKind().Version)})
		}
	}
	return input
}
