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

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// Request is a kind of request that the manager sent. It stands for all requests with the same fields.
type Request struct {
	Verb string `json:"verb"`
	// Resource includes the group and the subresource. It is empty for a non-resource URL.
	Resource string `json:"resource,omitempty"`
	// Namespace is OtherNamespace if no shipped role is limited to the namespace.
	Namespace string `json:"namespace,omitempty"`
	// Name is set only if a shipped role names the object, or if the manager declares objects of its resource by name (keepsName).
	Name string `json:"name,omitempty"`
	// Path is the first two segments of a non-resource URL.
	Path string `json:"path,omitempty"`
	// By is the binding that allowed the request, or "no RBAC: " with the reason of another authorizer. It is empty if the request
	// was denied.
	By string `json:"by,omitempty"`
}

// OtherNamespace is the Namespace of requests in namespaces to which no shipped role is limited. They share one value, because bundles can
// have any namespace.
const OtherNamespace = "…"

// String returns the verb, the resource, the name and the scope. For a non-resource URL, it returns the verb and the path.
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
	case OtherNamespace:
		return text + " in some namespace"
	}
	return text + " in namespace " + r.Namespace
}

// Trace maps each kind of request to its number of requests.
type Trace map[Request]int

// maxRequests is the maximum number of kinds of requests in a trace. The actual number must not depend on the size of the cluster.
const maxRequests = 20_000

// event holds the fields of an audit event that Collect reads.
type event struct {
	Verb       string `json:"verb"`
	Stage      string `json:"stage"`
	RequestURI string `json:"requestURI"`
	User       struct {
		Username string `json:"username"`
	} `json:"user"`
	ImpersonatedUser struct {
		Username string `json:"username"`
	} `json:"impersonatedUser"`
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
	// allowedBy matches the authorizer's reason in audit events if the RBAC authorizer allowed the request.
	allowedBy = regexp.MustCompile(`allowed by ((?:Cluster)?RoleBinding) "([^"]+)"`)
	// notAllowed matches the API server's message for a request that was authorized but needs a second right that the user lacks. For
	// example, server-side apply of a missing object also needs the right to create it.
	notAllowed = regexp.MustCompile(`User "[^"]*" cannot \S+ resource`)
)

// Collect summarizes the manager's requests in an audit log at level Metadata or above. It returns an error if the log is missing or was
// rotated.
func Collect(log string, shipped ShippedRoles) (Trace, error) {
	rotated, err := filepath.Glob(strings.TrimSuffix(log, filepath.Ext(log)) + "-*" + filepath.Ext(log))
	if err != nil {
		return nil, fmt.Errorf("collecting the manager's requests: %w", err)
	}
	if len(rotated) > 0 {
		return nil, fmt.Errorf("collecting the manager's requests: %q was rotated to %q, so that requests may be missing; increase the maximum size of the log", log, rotated)
	}
	file, err := os.Open(log)
	if err != nil {
		return nil, fmt.Errorf("collecting the manager's requests: %w; was the cluster started with an audit log?", err)
	}
	defer file.Close()
	return collect(bufio.NewReaderSize(file, 1<<20), shipped)
}

func collect(reader *bufio.Reader, shipped ShippedRoles) (Trace, error) {
	trace := Trace{}
	for number := 1; ; number++ {
		line, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return trace, nil // an incomplete line has no request of the manager, because the manager ended earlier
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
		if impersonated := read.ImpersonatedUser.Username; impersonated != "" {
			trace.AddImpersonation(impersonated, shipped)
			continue
		}
		trace.Add(read.request(), shipped)
		if len(trace) > maxRequests {
			return nil, fmt.Errorf("summarizing the audit log: there are more than %d kinds of requests", maxRequests)
		}
	}
}

// request returns the request that the event describes.
func (e event) request() ObservedRequest {
	path, _, _ := strings.Cut(e.RequestURI, "?")
	return ObservedRequest{
		Verb: e.Verb, Group: e.ObjectRef.Group, Resource: e.ObjectRef.Resource, Subresource: e.ObjectRef.Subresource,
		Namespace: e.ObjectRef.Namespace, Name: e.ObjectRef.Name, Path: path, Reason: e.Annotations[reason], Created: e.ResponseStatus.Code == http.StatusCreated,
		Denied: e.Annotations[decision] == "forbid" || e.ResponseStatus.Code == http.StatusForbidden && notAllowed.MatchString(e.ResponseStatus.Message),
	}
}

// ObservedRequest is a request from the manager that an API server received.
type ObservedRequest struct {
	// Verb is the Kubernetes API verb, such as patch.
	Verb string
	// Group, Resource and Subresource are empty for a non-resource URL, whose path is Path.
	Group, Resource, Subresource string
	// Namespace and Name identify the object.
	Namespace, Name string
	Path            string
	// Reason is the authorizer's reason, as in audit events.
	Reason string
	// Created is true if the request created an object. Denied is true if the request was denied because the manager lacks a right.
	Created, Denied bool
}

// Add adds a request to the trace. For a patch or update that created an object, it also adds a create, because the API server checks both
// rights.
func (t Trace) Add(each ObservedRequest, shipped ShippedRoles) {
	entry := Request{Verb: each.Verb}
	if each.Resource == "" {
		entry.Path = strings.Join(firstParts(strings.Split(each.Path, "/"), 3), "/")
	} else {
		resource := each.Resource
		if each.Subresource != "" {
			resource += "/" + each.Subresource
		}
		entry.Resource = resourceName(each.Group, resource)
		entry.Namespace, entry.Name = shipped.generalize(each.Namespace, each.Name)
		if keepsName(declaredTable(), schema.GroupResource{Group: each.Group, Resource: each.Resource}, each.Namespace, each.Name, slices.Contains(readVerbs, each.Verb)) {
			entry.Name = each.Name
		}
	}
	if found := allowedBy.FindStringSubmatch(each.Reason); !each.Denied && found != nil {
		name, _, _ := strings.Cut(found[2], "/") // a RoleBinding is followed by its namespace
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

// AddImpersonation adds the rights that a request of the manager as a ServiceAccount needs: to impersonate the ServiceAccount, and the extra
// field that names the BundleDeployment. What the request itself does needs no right of the manager.
func (t Trace) AddImpersonation(user string, shipped ShippedRoles) {
	const authorizedBefore = "no RBAC: it was authorized before the request" // no audit event has the reason
	namespace, name, err := serviceaccount.SplitUsername(user)
	account := Request{Verb: "impersonate", Resource: "users", By: authorizedBefore}
	if err == nil {
		account.Resource = "serviceaccounts"
		account.Namespace, account.Name = shipped.generalize(namespace, name)
	}
	t[account]++
	t[Request{Verb: "impersonate", Resource: resourceName("authentication.k8s.io", "userextras/"+corev1alpha2.ExtraDeployment), By: authorizedBefore}]++
}

func firstParts(parts []string, count int) []string { return parts[:min(len(parts), count)] }

// generalize returns the Namespace and Name of a Request, so that requests for which the roles make no difference have the same values. The
// namespace is OtherNamespace unless a shipped role is limited to it, and the name is empty unless a shipped role names the object.
func (s ShippedRoles) generalize(namespace, name string) (string, string) {
	rights := slices.Concat(s.Own, s.FromKubernetes)
	if namespace != "" && !slices.ContainsFunc(rights, func(each Right) bool { return each.Namespace == namespace }) {
		namespace = OtherNamespace
	}
	if !slices.ContainsFunc(rights, func(each Right) bool { return each.Name != "" && each.Name == name && each.Namespace == namespace }) {
		name = ""
	}
	return namespace, name
}

// line is the JSON of one line in a trace file: a kind of request and the number of requests.
type line struct {
	Request
	Count int `json:"count"`
}

// Write writes the trace to a file, one JSON object per line. It creates the file's folder if necessary, and replaces the file.
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

// add adds the counts from a file that Write wrote. If it returns an error, it may have added part of the file.
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
