package manifestserver

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/platform-operators/pkg/manifestserver/kinds"
)

// informerVersion is the resourceVersion in the first list of an informer. An API server may reply to it with an old list from the watch cache.
const informerVersion = "0"

func (s *Server) recordRead(c *call, verb Verb, options metav1.ListOptions) {
	read := Read{
		Verb: verb, Resource: c.resource.GroupVersionResource, Subresource: c.subresource, Namespace: c.namespace, Name: c.name,
		LabelSelector: options.LabelSelector, FieldSelector: options.FieldSelector,
	}
	s.recorded.reads[read] = struct{}{}
}

func (s *Server) get(c *call) (*answer, error) {
	s.recordRead(c, VerbGet, metav1.ListOptions{})
	one := s.lookup(c)
	if one == nil {
		return nil, c.notFound()
	}
	raw, err := s.convert(one, c.resource)
	if err != nil {
		return nil, err
	}
	return rawAnswer(http.StatusOK, raw), nil
}

// lookup returns the current object of a call, or nil.
func (s *Server) lookup(c *call) *entry {
	return s.store.get(c.resource.GroupResource(), objectKey{c.namespace, c.name})
}

// readCollection answers a list or a watch.
func (s *Server) readCollection(c *call) (*answer, error) {
	var options metav1.ListOptions
	if err := c.decodeOptions(&options); err != nil {
		return nil, err
	}
	selects, err := c.selector(options)
	if err != nil {
		return nil, err
	}
	if options.Watch {
		return s.watch(c, options)
	}
	s.recordRead(c, VerbList, options)
	listed, version := s.store.list(c.resource.GroupResource(), c.namespace), s.store.version
	if options.ResourceVersion == informerVersion {
		listed, version = s.store.input[c.resource.GroupResource()].in(c.namespace), max(s.store.inputVersion, 1)
	}
	var list bytes.Buffer
	fmt.Fprintf(&list, `{"apiVersion":%q,"kind":%q,"metadata":{"resourceVersion":%q},"items":[`,
		c.resource.GroupVersion(), c.resource.ListKind, strconv.FormatUint(version, 10))
	separator := ""
	for _, one := range listed {
		if selected, err := selects(one); err != nil {
			return nil, err
		} else if !selected {
			continue
		}
		raw, err := s.convert(one, c.resource)
		if err != nil {
			return nil, err
		}
		list.WriteString(separator)
		list.Write(raw)
		separator = ","
	}
	list.WriteString("]}")
	return rawAnswer(http.StatusOK, list.Bytes()), nil
}

// watch accepts a watch and sends no events. Like a server without the feature WatchList, it rejects sendInitialEvents, so that client-go lists.
func (s *Server) watch(c *call, options metav1.ListOptions) (*answer, error) {
	if options.SendInitialEvents != nil {
		return nil, apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "ListOptions"}, "", field.ErrorList{
			field.Forbidden(field.NewPath("sendInitialEvents"),
				"sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled"),
		})
	}
	s.recordRead(c, VerbWatch, options)
	result := rawAnswer(http.StatusOK, nil)
	result.watch = true
	return result, nil
}

// convert returns an object as JSON in the version of a resource.
func (s *Server) convert(one *entry, r *kinds.Resource) ([]byte, error) {
	if one.apiVersion == r.GroupVersion().String() {
		return one.raw, nil
	}
	object, err := s.decode(one, r)
	if err != nil {
		return nil, err
	}
	return json.Marshal(object.Object)
}

// decode returns an object in the version of a resource.
func (s *Server) decode(one *entry, r *kinds.Resource) (*unstructured.Unstructured, error) {
	object, err := one.object()
	if err != nil || one.apiVersion == r.GroupVersion().String() {
		return object, err
	}
	if !r.Convertible {
		return nil, fmt.Errorf("conversion webhook for %s failed: the object is stored in version %s, and this server calls no webhooks",
			r.GroupVersionKind(), one.apiVersion)
	}
	object.SetAPIVersion(r.GroupVersion().String())
	normal, _, err := r.Normalize(object)
	return normal, err
}
