package parity

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/scenario"
)

// RequestTypes are what kinds of requests there are, by two views: what is done to which resource, and with which options. An API server's
// code for a resource is the same whatever the options, and its code for options is the same for all built-in kinds, and for all custom
// resources.
type RequestTypes struct {
	// Resources have a verb, a resource and a subresource.
	Resources map[RequestType]bool
	// Options have a verb, "built-in kinds" or "custom resources", and scenario.Request's Options.
	Options map[RequestType]bool
}

// RequestType is one type in a view of requests.
type RequestType struct {
	Verb, What string
	// Refused is whether the API server refuses the request: requests that it carries out do not compare those.
	Refused bool
}

// customResources are all custom resources: one handler serves them.
const customResources = "custom resources"

// String returns a type as "verb what" or "verb what (refused)".
func (s RequestType) String() string {
	if s.Refused {
		return s.Verb + " " + s.What + " (refused)"
	}
	return s.Verb + " " + s.What
}

// Add adds the types of a request. Requests that were not answered, and those for URLs that are no resources, have none.
func (t *RequestTypes) Add(request scenario.Request) (resource, options RequestType, added bool) {
	if request.Resource.Resource == "" || request.Code == 0 {
		return RequestType{}, RequestType{}, false
	}
	if t.Resources == nil {
		t.Resources, t.Options = map[RequestType]bool{}, map[RequestType]bool{}
	}
	name, class := request.Resource.String(), "built-in kinds"
	if isCustom(request.Resource) {
		name, class = customResources, customResources
	}
	if request.Subresource != "" {
		name += "/" + request.Subresource
	}
	refused := request.Code >= http.StatusBadRequest
	resource = RequestType{request.Verb, name, refused}
	options = RequestType{request.Verb, class + strings.TrimRight(" "+request.Options, " "), refused}
	t.Resources[resource], t.Options[options] = true, true
	return resource, options, true
}

// isCustom reports whether the resource's group is not one of Kubernetes' own.
func isCustom(resource schema.GroupResource) bool {
	return strings.Contains(resource.Group, ".") && !strings.HasSuffix(resource.Group, ".k8s.io")
}

// TableRequestTypes returns the types of all requests of the table.
func TableRequestTypes() (RequestTypes, error) {
	var types RequestTypes
	sequences, err := Sequences()
	if err != nil {
		return types, err
	}
	for _, sequence := range sequences {
		answers, err := Recorded(sequence.Name)
		if err != nil {
			return types, err
		}
		for _, request := range sequence.Requests {
			parsed, err := request.parse()
			if err != nil {
				return types, fmt.Errorf("sequence %s, request %q: %w", sequence.Name, request.Name, err)
			}
			parsed.Code = answers[request.Name].Code
			types.Add(parsed)
		}
	}
	return types, nil
}

// parse returns the Kubernetes request.
func (r *Request) parse() (scenario.Request, error) {
	how := r.methods()[0]
	path, body := how.path, r.Raw
	if r.Watch != "" {
		path += "&watch=true"
	}
	if r.Body != nil {
		content, err := json.Marshal(r.Body)
		if err != nil {
			return scenario.Request{}, err
		}
		body = string(content)
	}
	sent, err := http.NewRequest(how.verb, path, strings.NewReader(body))
	if err != nil {
		return scenario.Request{}, err
	}
	sent.Header.Set("Content-Type", how.mediaType)
	sent.Header.Set("Accept", r.Accept)
	return scenario.ParseRequest(r.As, sent), nil
}
