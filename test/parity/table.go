package parity

import (
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"sigs.k8s.io/yaml"
)

//go:embed requests/*.yaml
var requestFiles embed.FS

// Sequence is a list of requests that are sent in order. Sequences are independent of each other.
type Sequence struct {
	// Name is the name of the file without its extension.
	Name string `json:"-"`
	// Title describes the sequence.
	Title string `json:"title"`
	// Cleanup are the paths of objects to delete at the end.
	Cleanup []string `json:"cleanup,omitempty"`
	// Requests are sent in this order.
	Requests []Request `json:"requests"`
}

// Request is a request, with options for comparing its response. Exactly one of the fields from Get to Patch is set, to the path with the
// query. A Watch must have a query, because "&watch=true" is appended to it.
//
// In paths and in Body, $(name.field.path) is replaced with a field of the response to an earlier request of the sequence.
type Request struct {
	// Name is unique in the sequence.
	Name string `json:"name"`
	// As is the user that sends the request; empty means an admin.
	As string `json:"as,omitempty"`

	Get    string `json:"get,omitempty"`
	Watch  string `json:"watch,omitempty"`
	Post   string `json:"post,omitempty"`
	Put    string `json:"put,omitempty"`
	Delete string `json:"delete,omitempty"`
	// Merge, JSON, Strategic and Apply are paths of patches, each of the type in the field's name. Patch is the path of a patch with media
	// type Type.
	Merge     string `json:"merge,omitempty"`
	JSON      string `json:"json,omitempty"`
	Strategic string `json:"strategic,omitempty"`
	Apply     string `json:"apply,omitempty"`
	Patch     string `json:"patch,omitempty"`

	// Body is sent as JSON. If Body is nil, Raw is sent unchanged.
	Body any    `json:"body,omitempty"`
	Raw  string `json:"raw,omitempty"`
	// Long is the length of the string that replaces $(long) in Body.
	Long int `json:"long,omitempty"`
	// Type is the media type of the body. By default, it is that of the field that has the path; for Patch, it is JSON. Accept is the media
	// type of the response, by default JSON.
	Type   string `json:"type,omitempty"`
	Accept string `json:"accept,omitempty"`

	// Events is the number of events for which a watch waits. The answer has fewer events if eventsTimeout passes first.
	Events int `json:"events,omitempty"`
	// Until describes the response that the request must get. The request is repeated until then, for example until a controller has acted,
	// and fails after untilTimeout. If Until is nil, the request is sent once.
	Until *Until `json:"until,omitempty"`
	// Pick lists the dotted paths to which the comparison of a successful response, or of each watch event, is limited. If Pick is empty,
	// everything is compared.
	Pick []string `json:"pick,omitempty"`
}

// Until describes a response. All set fields must match.
type Until struct {
	// Code is the status code; zero is any.
	Code int `json:"code,omitempty"`
	// Contains is a substring of the body.
	Contains string `json:"contains,omitempty"`
	// Warning is a substring of a warning.
	Warning string `json:"warning,omitempty"`
}

// Sequences returns the sequences in the table, sorted by file name. It returns an error if one of them is invalid.
func Sequences() ([]Sequence, error) {
	files, err := fs.Glob(requestFiles, "requests/*.yaml")
	if err != nil {
		return nil, err
	}
	var sequences []Sequence
	for _, file := range files {
		content, err := requestFiles.ReadFile(file)
		if err != nil {
			return nil, err
		}
		sequence := Sequence{Name: strings.TrimSuffix(path.Base(file), ".yaml")}
		if err := yaml.UnmarshalStrict(content, &sequence); err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
		if err := sequence.validate(); err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
		sequences = append(sequences, sequence)
	}
	return sequences, nil
}

func (s *Sequence) validate() error {
	names := map[string]bool{}
	for i := range s.Requests {
		request := &s.Requests[i]
		if request.Name == "" || names[request.Name] || strings.Contains(request.Name, ".") {
			return fmt.Errorf("request %d: name %q is empty, not unique or contains a dot", i+1, request.Name)
		}
		names[request.Name] = true
		if methods := request.methods(); len(methods) != 1 {
			return fmt.Errorf("request %q has %d methods, not one", request.Name, len(methods))
		}
	}
	return nil
}

// method is the HTTP method, path and media type of a request.
type method struct {
	verb, path, mediaType string
}

// methods returns the methods that the request sets. A valid request sets exactly one.
func (r *Request) methods() []method {
	const json = "application/json"
	all := []method{
		{http.MethodGet, r.Get, json},
		{http.MethodGet, r.Watch, json},
		{http.MethodPost, r.Post, json},
		{http.MethodPut, r.Put, json},
		{http.MethodDelete, r.Delete, json},
		{http.MethodPatch, r.Merge, "application/merge-patch+json"},
		{http.MethodPatch, r.JSON, "application/json-patch+json"},
		{http.MethodPatch, r.Strategic, "application/strategic-merge-patch+json"},
		{http.MethodPatch, r.Apply, "application/apply-patch+yaml"},
		{http.MethodPatch, r.Patch, json},
	}
	var methods []method
	for _, m := range all {
		if m.path == "" {
			continue
		}
		if r.Type != "" {
			m.mediaType = r.Type
		}
		methods = append(methods, m)
	}
	return methods
}
