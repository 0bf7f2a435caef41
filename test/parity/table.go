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

// Sequence is a list of requests that follow each other. Sequences do not depend on each other.
type Sequence struct {
	// Name is the file's, without its extension.
	Name string `json:"-"`
	// Title says what the sequence is about.
	Title string `json:"title"`
	// Cleanup are paths of objects that are deleted at the end.
	Cleanup []string `json:"cleanup,omitempty"`
	// Requests are sent in this order.
	Requests []Request `json:"requests"`
}

// Request is a request, and how its answer is compared. Exactly one field of those that name a method has the request's path and query.
//
// In paths and bodies, $(name.field.path) is a field of the answer to an earlier request of the sequence.
type Request struct {
	// Name is unique in the sequence.
	Name string `json:"name"`
	// As is the user that sends it; empty is an admin.
	As string `json:"as,omitempty"`

	Get    string `json:"get,omitempty"`
	Watch  string `json:"watch,omitempty"`
	Post   string `json:"post,omitempty"`
	Put    string `json:"put,omitempty"`
	Delete string `json:"delete,omitempty"`
	// Merge, JSON, Strategic and Apply are patches of these types, Patch one of the type that Type gives.
	Merge     string `json:"merge,omitempty"`
	JSON      string `json:"json,omitempty"`
	Strategic string `json:"strategic,omitempty"`
	Apply     string `json:"apply,omitempty"`
	Patch     string `json:"patch,omitempty"`

	// Body is sent as JSON, Raw as it is.
	Body any    `json:"body,omitempty"`
	Raw  string `json:"raw,omitempty"`
	// Long is the length of the string that replaces $(long) in the body.
	Long int `json:"long,omitempty"`
	// Type is the body's media type, and Accept the answer's, where they are not the usual ones.
	Type   string `json:"type,omitempty"`
	Accept string `json:"accept,omitempty"`

	// Events is for how many events a watch waits.
	Events int `json:"events,omitempty"`
	// Until repeats the request until the answer is as it says. It is for what controllers do.
	Until *Until `json:"until,omitempty"`
	// Pick limits what is compared of a successful answer, or of each event, to these fields, each as a dotted path; empty is everything.
	Pick []string `json:"pick,omitempty"`
}

// Until is an expected answer. Its fields must all hold.
type Until struct {
	// Code is the status code; zero is any.
	Code int `json:"code,omitempty"`
	// Contains is a part of the body.
	Contains string `json:"contains,omitempty"`
	// Warning is a part of a warning.
	Warning string `json:"warning,omitempty"`
}

// Sequences returns the table.
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

// method is how a request is sent.
type method struct {
	verb, path, mediaType string
}

// methods returns the methods that the request gives.
func (r *Request) methods() []method {
	const usual = "application/json"
	all := []method{
		{http.MethodGet, r.Get, usual},
		{http.MethodGet, r.Watch, usual},
		{http.MethodPost, r.Post, usual},
		{http.MethodPut, r.Put, usual},
		{http.MethodDelete, r.Delete, usual},
		{http.MethodPatch, r.Merge, "application/merge-patch+json"},
		{http.MethodPatch, r.JSON, "application/json-patch+json"},
		{http.MethodPatch, r.Strategic, "application/strategic-merge-patch+json"},
		{http.MethodPatch, r.Apply, "application/apply-patch+yaml"},
		{http.MethodPatch, r.Patch, usual},
	}
	var given []method
	for _, m := range all {
		if m.path == "" {
			continue
		}
		if r.Type != "" {
			m.mediaType = r.Type
		}
		given = append(given, m)
	}
	return given
}
