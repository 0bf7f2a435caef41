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

// RequestType identifies requests that an API server handles with the same code. Each request has two types. One consists of its verb and
// resource, because the code for a resource does not depend on options. The other consists of its verb and options, because the code for
// options is the same for all built-in kinds, and for all custom resources.
type RequestType struct {
	Verb string
	// What is a resource with its subresource, or "options of built-in kinds: " or "options of custom resources: " with
	// scenario.Request's Options.
	What    string
	Outcome Outcome
}

// Outcome is the result of a request. Requests with one outcome do not test the program code for another.
type Outcome string

const (
	// CarriedOut is the outcome of a request that succeeded.
	CarriedOut Outcome = "carried out"
	// Missed is the outcome of a request for an object that does not exist (404), that conflicts with another one (409), or that arrives
	// while the API server closes the storage of the resource (503). The same program code answers such requests for all resources. Whether
	// a request is missed can depend on timing.
	Missed Outcome = "missed"
	// Refused is the outcome of a request that failed for another reason.
	Refused Outcome = "refused"
)

// String returns the verb and What, followed by the outcome unless it is CarriedOut.
func (t RequestType) String() string {
	if t.Outcome == CarriedOut {
		return t.Verb + " " + t.What
	}
	return t.Verb + " " + t.What + " (" + string(t.Outcome) + ")"
}

// RequestTypesOf returns the two types of a request. It returns none for non-resource URLs, for requests that no API server answered, such
// as those with an injected fault, and for reads that authorization denies. Authorization precedes the code for the resource and the
// options.
func RequestTypesOf(request scenario.Request) []RequestType {
	isRead := request.Verb == "get" || request.Verb == "list" || request.Verb == "watch"
	if request.Resource.Resource == "" || request.Code == 0 || request.IsFaulted || isRead && request.Code == http.StatusForbidden {
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
	case code == http.StatusNotFound || code == http.StatusConflict || code == http.StatusServiceUnavailable:
		return Missed
	default:
		return Refused
	}
}

// RequestTypes is a set of request types.
type RequestTypes map[RequestType]bool

// Cover reports whether the set contains a type. If the outcome of wanted is Missed, the set may contain any outcome of its verb and What.
func (t RequestTypes) Cover(wanted RequestType) bool {
	if wanted.Outcome != Missed {
		return t[wanted]
	}
	return slices.ContainsFunc([]Outcome{Missed, CarriedOut, Refused}, func(outcome Outcome) bool {
		return t[RequestType{wanted.Verb, wanted.What, outcome}]
	})
}

// isCustom reports whether the resource is a custom resource: whether its group is not one that Kubernetes' API server has built in. Group
// autoscaling.k8s.io is that of the vertical Pod autoscaler, which installs CustomResourceDefinitions.
func isCustom(resource schema.GroupResource) bool {
	return strings.Contains(resource.Group, ".") && !strings.HasSuffix(resource.Group, ".k8s.io") || resource.Group == "autoscaling.k8s.io"
}

// TableRequestTypes returns the types of all requests in the table.
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

// parse returns the request as a scenario.Request without a status code. It does not expand placeholders.
func (r *Request) parse() (scenario.Request, error) {
	method := r.methods()[0]
	path, body := method.path, r.Raw
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
	sent, err := http.NewRequest(method.verb, path, strings.NewReader(body))
	if err != nil {
		return scenario.Request{}, err
	}
	sent.Header.Set("Content-Type", method.mediaType)
	sent.Header.Set("Accept", r.Accept)
	return scenario.ParseRequest(r.As, sent), nil
}
