package manifestserver

import (
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/openshift/platform-operators/pkg/manifestserver/kinds"
)

const (
	// maxRequestBody is the maximum size of a request's body in bytes, as in kube-apiserver.
	maxRequestBody = 3 << 20
	// maxFieldManager is the maximum length of a field manager, as in kube-apiserver.
	maxFieldManager = 128
	statusResource  = "status"
)

var errBodyTooLarge = apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", maxRequestBody))

// call is a request for a resource.
type call struct {
	request *http.Request
	// parameters decodes the query into options.
	parameters runtime.ParameterCodec
	method     string
	segments   []string
	query      url.Values

	resource          *kinds.Resource
	namespace, name   string
	subresource       string
	body              []byte
	mediaType, accept string

	warnings []string
}

func newCall(request *http.Request, parameters runtime.ParameterCodec, body []byte) *call {
	mediaType, _, err := mime.ParseMediaType(request.Header.Get("Content-Type"))
	if err != nil {
		mediaType = runtime.ContentTypeJSON
	}
	return &call{
		request: request, parameters: parameters, method: request.Method, query: request.URL.Query(), body: body, mediaType: mediaType,
		segments: strings.Split(strings.Trim(request.URL.Path, "/"), "/"), accept: strings.Join(request.Header.Values("Accept"), ","),
	}
}

// parse finds the resource of the path. It returns false if the server does not serve the path.
func (c *call) parse(served *kinds.Set) bool {
	version, rest := c.version()
	if len(rest) == 0 {
		return false
	}
	inNamespace := rest[0] == "namespaces" && len(rest) > 2 && (len(rest) > 3 || rest[2] != statusResource && rest[2] != "finalize")
	if inNamespace {
		c.namespace, rest = rest[1], rest[2:]
	}
	c.resource = served.Resource(version.WithResource(rest[0]))
	if c.resource == nil || len(rest) > 3 || slices.Contains(rest, "") {
		return false
	}
	if len(rest) > 1 {
		c.name = rest[1]
	}
	if len(rest) > 2 {
		c.subresource = rest[2]
	}
	if c.subresource != "" && (c.subresource != statusResource || !c.resource.Is(kinds.HasStatus)) {
		return false
	}
	if c.resource.Is(kinds.IsReview) {
		return c.name == "" && inNamespace == c.resource.Is(kinds.Namespaced)
	}
	// A path without a namespace is that of a collection in all namespaces. kube-apiserver does not serve writes to it.
	return inNamespace == c.resource.Is(kinds.Namespaced) || !inNamespace && c.name == "" && (c.method == http.MethodGet || !c.resource.Custom)
}

// version returns the group and version in the path, and the segments that follow it.
func (c *call) version() (schema.GroupVersion, []string) {
	switch path := c.segments; {
	case len(path) > 2 && path[0] == "api":
		return schema.GroupVersion{Version: path[1]}, path[2:]
	case len(path) > 3 && path[0] == "apis":
		return schema.GroupVersion{Group: path[1], Version: path[2]}, path[3:]
	}
	return schema.GroupVersion{}, nil
}

// decodeBody converts a body in protobuf or YAML to JSON.
func (s *Server) decodeBody(c *call) error {
	if len(c.body) == 0 {
		return nil
	}
	switch {
	case c.mediaType == runtime.ContentTypeProtobuf:
		var err error
		if c.body, err = s.kinds.ProtobufToJSON(c.body); err != nil {
			return apierrors.NewBadRequest(err.Error())
		}
	case c.method != http.MethodPatch && c.mediaType == runtime.ContentTypeYAML:
		var err error
		if c.body, err = yaml.YAMLToJSON(c.body); err != nil {
			return apierrors.NewBadRequest(err.Error())
		}
	case c.method != http.MethodPatch && c.mediaType != runtime.ContentTypeJSON:
		return c.unsupportedMediaType("application/json, application/yaml, application/vnd.kubernetes.protobuf")
	}
	return nil
}

func (c *call) unsupportedMediaType(accepted string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusUnsupportedMediaType, Reason: metav1.StatusReasonUnsupportedMediaType,
		Message: "the body of the request was in an unknown format - accepted media types include: " + accepted,
	}}
}

// methodNotAllowed returns the error of the server that serves the resource: kube-apiserver has another one for custom kinds.
func (c *call) methodNotAllowed() error {
	if c.resource.Custom {
		return apierrors.NewMethodNotSupported(c.resource.GroupResource(), strings.ToLower(c.method))
	}
	return apierrors.NewGenericServerResponse(http.StatusMethodNotAllowed, "", schema.GroupResource{}, "", "", 0, false)
}

// decodeOptions decodes the query into options.
func (c *call) decodeOptions(into runtime.Object) error {
	if err := c.parameters.DecodeParameters(c.query, schema.GroupVersion{Version: "v1"}, into); err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	return nil
}

// fieldManager returns the field manager of a write: that of the options, or the one from the User-Agent.
func (c *call) fieldManager(ofOptions string) string {
	if ofOptions != "" {
		return ofOptions
	}
	name, _, _ := strings.Cut(c.request.UserAgent(), "/")
	if len(name) > maxFieldManager {
		name = name[:maxFieldManager]
	}
	return name
}

// wantsPartial reports whether the client accepts only the metadata.
func (c *call) wantsPartial() bool {
	return strings.Contains(c.accept, "as=PartialObjectMetadata")
}

func (c *call) notFound() error {
	return apierrors.NewNotFound(c.resource.GroupResource(), c.name)
}
