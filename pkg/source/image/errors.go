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

// Class says what kind of fault an Error is, and with that what helps.
type Class string

const (
	// Invalid: the source cannot be read: its reference, or its certificates. Only another source helps.
	Invalid Class = "Invalid"
	// Credentials: the pull secret cannot be used.
	Credentials Class = "Credentials"
	// Untrusted: nothing vouches for the registry's certificate, or it speaks plain HTTP where that is not allowed.
	Untrusted Class = "Untrusted"
	// NotFound: the registry answers and does not have the image.
	NotFound Class = "NotFound"
	// Unauthorized: the registry wants credentials, or does not accept those it got.
	Unauthorized Class = "Unauthorized"
	// Unreachable: the registry does not answer, answers with a server error, breaks off or falls silent. Waiting may help.
	Unreachable Class = "Unreachable"
	// Corrupt: the registry sends something else than the digest names.
	Corrupt Class = "Corrupt"
	// Refused: the content is not safe to unpack, goes over a limit, or is no image.
	Refused Class = "Refused"
	// Storage: the content cannot be written to disk here.
	Storage Class = "Storage"
)

var advice = map[Class]string{
	Invalid:      "correct the source; a reference is registry/repository:tag or registry/repository@sha256:…, and certificateData holds certificates in PEM",
	Credentials:  "a pull secret is a Secret of type kubernetes.io/dockerconfigjson or kubernetes.io/dockercfg in the manager's namespace; it is read again at every try",
	Untrusted:    "put the authority of the registry's certificate into certificateData, or set insecureSkipTLSVerify if nobody can come between",
	NotFound:     "check the reference, and that the image was pushed or mirrored to this registry",
	Unauthorized: "check that the pull secret has credentials for this repository and that they may pull it; it is read again at every try",
	Unreachable:  "check that the registry runs and can be reached from this cluster; it is tried again",
	Corrupt:      "check the registry's storage, and any mirror, proxy or cache before it; it is tried again",
	Refused:      "rebuild the image; this one is not unpacked",
	Storage:      "make room on the disk of the manager's content directory, or raise its --content-budget; it is tried again",
}

// Error is why an image was not fetched.
type Error struct {
	// Class of the fault.
	Class Class
	// Action is what was tried, for example "resolving".
	Action string
	// Ref is the image as it was asked for.
	Ref string
	// Err is the cause.
	Err error
}

// Error says what was tried, why it did not work and what to do.
func (e *Error) Error() string {
	return fmt.Sprintf("%s image %q: %s; %s", e.Action, e.Ref, cause(e.Err), advice[e.Class])
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// query is what follows the question mark of an address: storage that registries redirect to is read by what stands there.
var query = regexp.MustCompile(`\?[^\s"]+`)

// cause shortens what a registry answers: its error bodies may be whole web pages.
func cause(err error) string {
	text := err.Error()
	if answer := (*transport.Error)(nil); errors.As(err, &answer) && classOf(err) != Untrusted {
		text = fmt.Sprintf("the registry answered %d %s", answer.StatusCode, http.StatusText(answer.StatusCode))
		for _, diagnostic := range answer.Errors {
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

// classified wraps whatever a registry or the unpacking returned.
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
	var answer *transport.Error
	switch {
	case errors.As(err, &marked):
		return marked.class
	case isDiskFault(err):
		return Storage
	case hasSign(err, untrusted): // where TLS was refused, plain HTTP may have been tried and answered too
		return Untrusted
	case errors.As(err, &answer):
		switch answer.StatusCode {
		case http.StatusNotFound:
			return NotFound
		case http.StatusUnauthorized, http.StatusForbidden:
			return Unauthorized
		}
		return Unreachable
	}
	switch {
	case hasSign(err, corrupt):
		return Corrupt
	case hasSign(err, refused):
		return Refused
	}
	return Unreachable
}

// Signs of errors that have no type, or that lose it where libraries join them.
var (
	untrusted = []string{"x509:", plainRefused, loopbackRefused, "server gave HTTP response to HTTPS client"}
	corrupt   = []string{"manifest digest:", "error verifying", "does not match expected size"}
	refused   = []string{"unsupported MediaType", "invalid character", "cannot unmarshal"}
)

func hasSign(err error, signs []string) bool {
	return slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(err.Error(), sign) })
}

// markedError is a fault whose class is known where it is found.
type markedError struct {
	class Class
	err   error
}

func (e *markedError) Error() string { return e.err.Error() }
func (e *markedError) Unwrap() error { return e.err }

// refuse marks content that must not be unpacked.
func refuse(format string, args ...any) error {
	return &markedError{class: Refused, err: fmt.Errorf(format, args...)}
}

func marked(class Class, format string, args ...any) error {
	return &markedError{class: class, err: fmt.Errorf(format, args...)}
}
