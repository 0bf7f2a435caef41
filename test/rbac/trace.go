package rbac

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Request is one sort of request that the manager made.
type Request struct {
	Verb string `json:"verb"`
	// Resource has its group and subresource; empty for what is no resource.
	Resource string `json:"resource,omitempty"`
	// Namespace is Elsewhere for those that no shipped role is about.
	Namespace string `json:"namespace,omitempty"`
	// Name is kept where a shipped role names single objects.
	Name string `json:"name,omitempty"`
	// Path of what is no resource, its first two parts.
	Path string `json:"path,omitempty"`
	// By is the binding that allowed it, as the authorizer said; empty when it was denied.
	By string `json:"by,omitempty"`
}

// Elsewhere stands for all namespaces that no shipped role is about: a bundle's may have any name.
const Elsewhere = "…"

// String is how a request is told.
func (r Request) String() string {
	if r.Resource == "" {
		return r.Verb + " " + r.Path
	}
	text := r.Verb + " " + r.Resource
	if r.Name != "" {
		text += fmt.Sprintf(" %q", r.Name)
	}
	switch r.Namespace {
	case "":
		return text + " in the whole cluster"
	case Elsewhere:
		return text + " in some namespace"
	}
	return text + " in namespace " + r.Namespace
}

// Trace is how often each sort of request was made.
type Trace map[Request]int

// maxSorts bounds a trace: a summary that grows with the cluster is none.
const maxSorts = 20_000

// event is what is read of an audit event.
type event struct {
	Verb       string `json:"verb"`
	Stage      string `json:"stage"`
	RequestURI string `json:"requestURI"`
	User       struct {
		Username string `json:"username"`
	} `json:"user"`
	ObjectRef struct {
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
		Group       string `json:"apiGroup"`
		Namespace   string `json:"namespace"`
		Name        string `json:"name"`
	} `json:"objectRef"`
	ResponseStatus struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"responseStatus"`
	Annotations map[string]string `json:"annotations"`
}

const (
	decision = "authorization.k8s.io/decision"
	reason   = "authorization.k8s.io/reason"
)

var (
	// allowedBy is in an authorizer's reason for what RBAC allows.
	allowedBy = regexp.MustCompile(`allowed by ((?:Cluster)?RoleBinding) "([^"]+)"`)
	// notAllowed is in the API server's message where a request needs a second right that it lacks: to create by apply, say.
	notAllowed = regexp.MustCompile(`User "[^"]*" cannot \S+ resource`)
)

// Collect sums up what the manager asked, from an audit log of level Metadata or above.
func Collect(log string, shipped Shipped) (Trace, error) {
	rotated, err := filepath.Glob(strings.TrimSuffix(log, filepath.Ext(log)) + "-*" + filepath.Ext(log))
	if err != nil {
		return nil, fmt.Errorf("collecting the manager's requests: %w", err)
	}
	if len(rotated) > 0 {
		return nil, fmt.Errorf("collecting the manager's requests: %q was rotated to %q, so that some may be missing; let the log grow larger", log, rotated)
	}
	file, err := os.Open(log)
	if err != nil {
		return nil, fmt.Errorf("collecting the manager's requests: %w; was the cluster started with an audit log?", err)
	}
	defer file.Close()
	return collect(bufio.NewReaderSize(file, 1<<20), shipped)
}

func collect(reader *bufio.Reader, shipped Shipped) (Trace, error) {
	trace := Trace{}
	for number := 1; ; number++ {
		line, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return trace, nil // a line that is still being written is not the manager's: it has ended
		}
		if err != nil {
			return nil, fmt.Errorf("reading the audit log: %w", err)
		}
		if !strings.Contains(string(line), User) {
			continue
		}
		var read event
		if err := json.Unmarshal(line, &read); err != nil {
			return nil, fmt.Errorf("reading the audit log: line %d: %w", number, err)
		}
		if read.User.Username != User {
			continue
		}
		trace.Add(read.observed(), shipped)
		if len(trace) > maxSorts {
			return nil, fmt.Errorf("summing up the audit log: there are more than %d sorts of requests", maxSorts)
		}
	}
}

// observed returns the request that the event describes.
func (e event) observed() ObservedRequest {
	path, _, _ := strings.Cut(e.RequestURI, "?")
	return ObservedRequest{
		Verb: e.Verb, Group: e.ObjectRef.Group, Resource: e.ObjectRef.Resource, Subresource: e.ObjectRef.Subresource,
		Namespace: e.ObjectRef.Namespace, Name: e.ObjectRef.Name, Path: path, Reason: e.Annotations[reason], Created: e.ResponseStatus.Code == http.StatusCreated,
		Denied: e.Annotations[decision] == "forbid" || e.ResponseStatus.Code == http.StatusForbidden && notAllowed.MatchString(e.ResponseStatus.Message),
	}
}

// ObservedRequest is a request that an API server received from the manager.
type ObservedRequest struct {
	// Verb is the Kubernetes API verb, such as patch.
	Verb string
	// Group, Resource and Subresource are empty for a non-resource URL, whose path is Path.
	Group, Resource, Subresource string
	// Namespace and Name are the object's.
	Namespace, Name string
	Path            string
	// Reason is why the authorizer allowed it, as audit logs have it.
	Reason string
	// Created is whether an object was created, and Denied whether a right was missing.
	Created, Denied bool
}

// Add counts a request. It counts a patch or update that created an object also as a create, because the API server checks both rights.
func (t Trace) Add(each ObservedRequest, shipped Shipped) {
	entry := Request{Verb: each.Verb}
	if each.Resource == "" {
		entry.Path = strings.Join(firstOf(strings.Split(each.Path, "/"), 3), "/")
	} else {
		resource := each.Resource
		if each.Subresource != "" {
			resource += "/" + each.Subresource
		}
		entry.Resource = resourceIn(each.Group, resource)
		entry.Namespace, entry.Name = shipped.place(each.Namespace, each.Name)
	}
	if found := allowedBy.FindStringSubmatch(each.Reason); !each.Denied && found != nil {
		name, _, _ := strings.Cut(found[2], "/") // the rest of a RoleBinding's is its namespace
		entry.By = found[1] + " " + name
	} else if !each.Denied {
		entry.By = "no RBAC: " + each.Reason
	}
	t[entry]++
	if each.Created && (each.Verb == "patch" || each.Verb == "update") {
		entry.Verb = "create"
		t[entry]++
	}
}

func firstOf(parts []string, count int) []string { return parts[:min(len(parts), count)] }

// place keeps what shipped roles tell apart.
func (s Shipped) place(namespace, name string) (string, string) {
	rights := slices.Concat(s.Own, s.Borrowed)
	if namespace != "" && !slices.ContainsFunc(rights, func(each Right) bool { return each.Namespace == namespace }) {
		namespace = Elsewhere
	}
	if !slices.ContainsFunc(rights, func(each Right) bool { return each.Name != "" && each.Name == name && each.Namespace == namespace }) {
		name = ""
	}
	return namespace, name
}

// line is how one sort of request is written.
type line struct {
	Request
	Count int `json:"count"`
}

// Write writes a trace to a file, a sort of request a line.
func (t Trace) Write(path string) error {
	var lines []string
	for request, count := range t {
		written, err := json.Marshal(line{request, count})
		if err != nil {
			return fmt.Errorf("writing the manager's requests: %w", err)
		}
		lines = append(lines, string(written)+"\n")
	}
	slices.Sort(lines)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("writing the manager's requests: %w", err)
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644); err != nil {
		return fmt.Errorf("writing the manager's requests: %w", err)
	}
	return nil
}

// add adds what a file that Write has written tells.
func (t Trace) add(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for each := range strings.Lines(string(content)) {
		var read line
		if err := json.Unmarshal([]byte(each), &read); err != nil {
			return fmt.Errorf("reading %q: %w", path, err)
		}
		t[read.Request] += read.Count
	}
	return nil
}
