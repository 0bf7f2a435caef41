package parity

import (
	"fmt"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/scenario"
)

// RequestType is the verb and the resource of a request. An API server handles requests of one type alike. All custom resources count as
// one resource, because one handler serves them all.
type RequestType struct {
	Verb, Resource, Subresource string
}

// String returns a type as "verb resource/subresource".
func (s RequestType) String() string {
	if s.Subresource == "" {
		return s.Verb + " " + s.Resource
	}
	return s.Verb + " " + s.Resource + "/" + s.Subresource
}

// RequestTypeOf returns a request's type. A request for a non-resource URL has the zero value.
func RequestTypeOf(request scenario.Request) RequestType {
	if request.Resource.Resource == "" {
		return RequestType{}
	}
	resource := request.Resource.String()
	if isCustom(request.Resource) {
		resource = "custom resources"
	}
	return RequestType{request.Verb, resource, request.Subresource}
}

// isCustom reports whether the resource's group is not one of Kubernetes' own.
func isCustom(resource schema.GroupResource) bool {
	return strings.Contains(resource.Group, ".") && !strings.HasSuffix(resource.Group, ".k8s.io")
}

// RequestTypes returns the types of all requests of the table.
func RequestTypes() (map[RequestType]bool, error) {
	sequences, err := Sequences()
	if err != nil {
		return nil, err
	}
	types := map[RequestType]bool{}
	for _, sequence := range sequences {
		for _, request := range sequence.Requests {
			how := request.methods()[0]
			path := how.path
			if request.Watch != "" {
				path += "&watch=true"
			}
			r, err := http.NewRequest(how.verb, path, http.NoBody)
			if err != nil {
				return nil, fmt.Errorf("sequence %s, request %q: %w", sequence.Name, request.Name, err)
			}
			r.Header.Set("Content-Type", how.mediaType)
			types[RequestTypeOf(scenario.ParseRequest(request.As, r))] = true
		}
	}
	return types, nil
}
