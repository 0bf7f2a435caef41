package parity

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/scenario"
)

// RequestType is a kind of requests that API servers answer by the same code. Each request has two: what is done to which resource, and
// with which options. An API server's code for a resource is the same whatever the options, and its code for options is the same for all
// built-in kinds, and for all custom resources.
type RequestType struct {
	Verb string
	// What is a resource with its subresource, or "built-in kinds" or "custom resources" with scenario.Request's Options.
	What    string
	Outcome Outcome
}

// Outcome is what an API server does with a request. Requests of one outcome do not show how it answers those of another.
type Outcome string

const (
	CarriedOut Outcome = "carried out"
	// Missed is a request for an object that does not exist, or that conflicts with another one. Code that all resources share answers it, and
	// which requests it happens to depends on chance.
	Missed Outcome = "missed"
	// Refused is for all other reasons.
	Refused Outcome = "refused"
)

// String returns a type as "verb what", with its outcome unless it was carried out.
func (t RequestType) String() string {
	if t.Outcome == CarriedOut {
		return t.Verb + " " + t.What
	}
	return t.Verb + " " + t.What + " (" + string(t.Outcome) + ")"
}

// RequestTypesOf returns the types of a request. Requests that no API server answered, and those for URLs that are no resources, have none.
func RequestTypesOf(request scenario.Request) []RequestType {
	if request.Resource.Resource == "" || request.Code == 0 || request.IsFaulted {
		return nil
	}
	resource, class := request.Resource.String(), "built-in kinds"
	if isCustom(request.Resource) {
		resource, class = "custom resources", "custom resources"
	}
	if request.Subresource != "" {
		resource += "/" + request.Subresource
	}
	outcome := outcomeOf(request.Code)
	return []RequestType{{request.Verb, resource, outcome}, {request.Verb, "options of " + class + ": " + request.Options, outcome}}
}

func outcomeOf(code int) Outcome {
	switch {
	case code < http.StatusBadRequest:
		return CarriedOut
	case code == http.StatusNotFound || code == http.StatusConflict:
		return Missed
	default:
		return Refused
	}
}

// RequestTypes is a set of types.
type RequestTypes map[RequestType]bool

// Cover reports whether a type is in the set. A missed request is also covered by one that was carried out or refused.
func (t RequestTypes) Cover(wanted RequestType) bool {
	if wanted.Outcome != Missed {
		return t[wanted]
	}
	return slices.ContainsFunc([]Outcome{Missed, CarriedOut, Refused}, func(outcome Outcome) bool {
		return t[RequestType{wanted.Verb, wanted.What, outcome}]
	})
}

// isCustom reports whether the resource's group is not one of Kubernetes' own.
func isCustom(resource schema.GroupResource) bool {
	return strings.Contains(resource.Group, ".") && !strings.HasSuffix(resource.Group, ".k8s.io")
}

// TableRequestTypes returns the types of all requests of the table.
func TableRequestTypes() (RequestTypes, error) {
	types := RequestTypes{}
	sequences, err := Sequences()
	if err != nil {
		return nil, err
	}
	for _, sequence := range sequences {
		answers, err := Recorded(sequence.Name)
		if err != nil {
			return nil, err
		}
		for _, request := range sequence.Requests {
			parsed, err := request.parse()
			if err != nil {
				return nil, fmt.Errorf("sequence %s, request %q: %w", sequence.Name, request.Name, err)
			}
			parsed.Code = answers[request.Name].Code
			for _, each := range RequestTypesOf(parsed) {
				types[each] = true
			}
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
