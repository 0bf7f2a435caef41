package image

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// Class is the class of an Error's cause. It determines the remedy.
type Class string

const (
	// Invalid: the reference or the certificates of the source are invalid. The source must be corrected.
	Invalid Class = "Invalid"
	// Credentials: the pull secret cannot be used.
	Credentials Class = "Credentials"
	// Untrusted: the registry's certificate is not trusted, or the registry uses plain HTTP or a loopback address where that is not
	// allowed.
	Untrusted Class = "Untrusted"
	// NotFound: the registry does not have the image.
	NotFound Class = "NotFound"
	// Unauthorized: the registry requires credentials, or rejects the credentials that it received.
	Unauthorized Class = "Unauthorized"
	// Unreachable: the registry does not respond, responds with a server error, or ends a response early. The fault may be transient.
	Unreachable Class = "Unreachable"
	// Corrupt: the content that the registry sends does not match its digest.
	Corrupt Class = "Corrupt"
	// Refused: the content is unsafe to unpack, exceeds a limit, or is not an image.
	Refused Class = "Refused"
	// Storage: the manager cannot write the content to its disk.
	Storage Class = "Storage"
)

var advice = map[Class]string{
	Invalid:      "correct the source; a reference is registry/repository:tag or registry/repository@sha256:…, and certificateData holds certificates in PEM",
	Credentials:  "a pull secret is a Secret of type kubernetes.io/dockerconfigjson or kubernetes.io/dockercfg in the manager's namespace; it is read again at every try",
	Untrusted:    "put the authority of the registry's certificate into certificateData, or set insecureSkipTLSVerify if nobody can come between",
	NotFound:     "if a catalog names the image, ask the catalog's publisher to push it or, if the catalog is mirrored, the admin of the mirror to add it; otherwise correct the reference",
	Unauthorized: "check that the pull secret has credentials for this repository and that they may pull it; it is read again at every try",
	Unreachable:  "check that the registry runs and can be reached from this cluster; the manager retries",
	Corrupt:      "check the registry's storage, and any mirror, proxy or cache before it; the manager retries",
	Refused:      "rebuild the image; this one is not unpacked",
	Storage:      "free space on the disk of the manager's content directory, or raise its --content-budget; the manager retries",
}

// Error is why an image was not fetched.
type Error struct {
	// Class is the class of the cause.
	Class Class
	// Action is the action that failed, for example "resolving".
	Action string
	// Ref is the reference of the image in the source.
	Ref string
	// Err is the cause.
	Err error
}

// Error returns the failed action, its cause, and the remedy.
func (e *Error) Error() string {
	return e.Problem() + "; " + advice[e.Class]
}

// Problem returns the failed action and its cause. Error adds the remedy for a BundleDeployment.
func (e *Error) Problem() string {
	return fmt.Sprintf("%s image %q: %s", e.Action, e.Ref, cause(e.Err))
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// query matches the query of a URL. In redirects to a registry's storage, the query contains credentials, which a message must not
// disclose.
var query = regexp.MustCompile(`\?[^\s"]+`)

// cause returns the text of an error for use in a message, in at most 515 bytes. It shortens a registry's response, which may be a whole
// web page, and removes the queries of URLs.
func cause(err error) string {
	text := err.Error()
	if response := (*transport.Error)(nil); errors.As(err, &response) && classOf(err) != Untrusted {
		text = fmt.Sprintf("the registry answered %d %s", response.StatusCode, http.StatusText(response.StatusCode))
		for _, diagnostic := range response.Errors {
			text += ", " + string(diagnostic.Code)
			break
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		text = "the registry did not deliver it in time"
	}
	text = query.ReplaceAllLiteralString(strings.Join(strings.Fields(text), " "), "?…")
	const limit = 512
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "") + "…"
	}
	return text
}

// classified returns an error from a registry or from unpacking as an *Error; nil if err is nil.
func classified(action, ref string, err error) error {
	if err == nil {
		return nil
	}
	if done := (*Error)(nil); errors.As(err, &done) {
		return err
	}
	return &Error{Class: classOf(err), Action: action, Ref: ref, Err: err}
}

func classOf(err error) Class {
	var marked *markedError
	var response *transport.Error
	switch {
	case errors.As(err, &marked):
		return marked.class
	case isDiskFault(err):
		return Storage
	case containsAny(err, untrusted): // after a refused TLS connection, go-containerregistry may have tried plain HTTP and got a response
		return Untrusted
	case errors.As(err, &response):
		switch response.StatusCode {
		case http.StatusNotFound:
			return NotFound
		case http.StatusUnauthorized, http.StatusForbidden:
			return Unauthorized
		}
		return Unreachable
	}
	switch {
	case containsAny(err, corrupt):
		return Corrupt
	case containsAny(err, refused):
		return Refused
	}
	return Unreachable
}

// Texts of errors that have no type, or that lose their type when a library joins them.
var (
	untrusted = []string{"x509:", plainRefused, loopbackRefused, "server gave HTTP response to HTTPS client"}
	corrupt   = []string{"manifest digest:", "error verifying", "does not match expected size"}
	refused   = []string{"unsupported MediaType", "invalid character", "cannot unmarshal"}
)

func containsAny(err error, texts []string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(err.Error(), text) })
}

// markedError is an error with a class.
type markedError struct {
	class Class
	err   error
}

func (e *markedError) Error() string { return e.err.Error() }
func (e *markedError) Unwrap() error { return e.err }

// refuse returns an error of class Refused.
func refuse(format string, args ...any) error {
	return &markedError{class: Refused, err: fmt.Errorf(format, args...)}
}

func marked(class Class, format string, args ...any) error {
	return &markedError{class: class, err: fmt.Errorf(format, args...)}
}
