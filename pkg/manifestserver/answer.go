package manifestserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// answer is the content of a response.
type answer struct {
	code        int
	contentType string
	body        []byte
	// watch is true for a watch: the body has no end, and the client reads it until the request is canceled.
	watch    bool
	warnings []string
	// notServed is true if the server serves nothing at the path.
	notServed bool
}

func rawAnswer(code int, body []byte) *answer {
	return &answer{code: code, contentType: runtime.ContentTypeJSON, body: body}
}

func entryAnswer(code int, one *entry) *answer { return rawAnswer(code, one.raw) }

func jsonAnswer(code int, value any) *answer {
	body, err := json.Marshal(value)
	if err != nil {
		return errorAnswer(err)
	}
	return rawAnswer(code, body)
}

// notServedAnswer is the response to a path that is not served. It is plain text, unlike the response for a missing object.
func notServedAnswer() *answer {
	return &answer{code: http.StatusNotFound, contentType: "text/plain; charset=utf-8", body: []byte("404 page not found\n"), notServed: true}
}

// errorAnswer returns a Status.
func errorAnswer(err error) *answer {
	var known apierrors.APIStatus
	if !errors.As(err, &known) {
		known = &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: err.Error(),
		}}
	}
	status := known.Status()
	status.Kind, status.APIVersion = "Status", "v1"
	body, err := json.Marshal(status)
	if err != nil {
		body = nil // a Status has only strings and numbers
	}
	return rawAnswer(int(status.Code), body)
}

// partialAnswer reduces the objects in an answer to their metadata.
func partialAnswer(full *answer) *answer {
	if full.code >= http.StatusBadRequest || full.watch {
		return full
	}
	var content struct {
		metav1.PartialObjectMetadata
		Items *[]metav1.PartialObjectMetadata `json:"items"`
	}
	if err := json.Unmarshal(full.body, &content); err != nil {
		return errorAnswer(err)
	}
	if content.Kind == "Status" && content.APIVersion == "v1" {
		return full
	}
	partial := metav1.TypeMeta{APIVersion: metav1.SchemeGroupVersion.String(), Kind: "PartialObjectMetadata"}
	var reduced *answer
	if content.Items == nil {
		content.TypeMeta = partial
		reduced = jsonAnswer(full.code, content.PartialObjectMetadata)
	} else {
		for i := range *content.Items {
			(*content.Items)[i].TypeMeta = partial
		}
		list := metav1.PartialObjectMetadataList{TypeMeta: partial, Items: *content.Items}
		list.Kind, list.ResourceVersion = "PartialObjectMetadataList", content.ResourceVersion
		reduced = jsonAnswer(full.code, list)
	}
	reduced.warnings = full.warnings
	return reduced
}

// respond returns the response to a request.
func respond(request *http.Request, a *answer) *http.Response {
	header := http.Header{"Content-Type": {a.contentType}}
	for _, warning := range a.warnings {
		if text, err := utilnet.NewWarningHeader(299, "-", warning); err == nil {
			header.Add("Warning", text)
		}
	}
	response := &http.Response{
		Status: fmt.Sprintf("%d %s", a.code, http.StatusText(a.code)), StatusCode: a.code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Request: request, ContentLength: -1,
	}
	if a.watch {
		response.Body = newWatchBody(request.Context())
		return response
	}
	header.Set("Content-Length", strconv.Itoa(len(a.body)))
	response.ContentLength = int64(len(a.body))
	response.Body = io.NopCloser(bytes.NewReader(a.body))
	return response
}

// watchBody is the body of a watch without events. Read blocks until the request ends or the body is closed.
type watchBody struct {
	ctx    context.Context // the request's context, which ends the watch
	cancel context.CancelFunc
}

func newWatchBody(ctx context.Context) *watchBody {
	ctx, cancel := context.WithCancel(ctx)
	return &watchBody{ctx, cancel}
}

// Read implements io.Reader.
func (b *watchBody) Read([]byte) (int, error) {
	<-b.ctx.Done()
	return 0, io.EOF
}

// Close implements io.Closer.
func (b *watchBody) Close() error {
	b.cancel()
	return nil
}
