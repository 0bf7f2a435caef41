package image

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// Class says what kind of fault an Error is, and with that what helps.
type Class string

const (
	// Invalid: the reference cannot be parsed. Only another reference helps.
	Invalid Class = "Invalid"
	// NotFound: the registry answers and does not have the image.
	NotFound Class = "NotFound"
	// Unauthorized: the registry wants credentials, or does not accept those it got.
	Unauthorized Class = "Unauthorized"
	// Unreachable: the registry does not answer, answers with a server error, or breaks off. Waiting may help.
	Unreachable Class = "Unreachable"
	// Refused: the content is not what the digest says, is not safe to unpack, or goes over a limit.
	Refused Class = "Refused"
)

var advice = map[Class]string{
	Invalid:      "correct the reference; it is registry/repository:tag or registry/repository@sha256:…",
	NotFound:     "check the reference, and that the image was pushed or mirrored to this registry",
	Unauthorized: "check that the repository may be pulled from this cluster",
	Unreachable:  "check that the registry runs and can be reached from this cluster; it is tried again",
	Refused:      "rebuild the image; this one is not unpacked",
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

// cause shortens what a registry answers: its error bodies may be whole web pages.
func cause(err error) string {
	text := err.Error()
	if answer := (*transport.Error)(nil); errors.As(err, &answer) {
		text = fmt.Sprintf("the registry answered %d %s", answer.StatusCode, http.StatusText(answer.StatusCode))
		for _, diagnostic := range answer.Errors {
			text += ", " + string(diagnostic.Code)
			break
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		text = "the registry did not deliver it in time"
	}
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
	class := Unreachable
	var answer *transport.Error
	var refusal *refusalError
	switch {
	case errors.As(err, &refusal):
		class = Refused
	case errors.As(err, &answer):
		switch answer.StatusCode {
		case http.StatusNotFound:
			class = NotFound
		case http.StatusUnauthorized, http.StatusForbidden:
			class = Unauthorized
		}
	}
	return &Error{Class: class, Action: action, Ref: ref, Err: err}
}

// refusalError marks content that must not be unpacked.
type refusalError struct{ err error }

func (e *refusalError) Error() string { return e.err.Error() }
func (e *refusalError) Unwrap() error { return e.err }

func refuse(format string, args ...any) error {
	return &refusalError{err: fmt.Errorf(format, args...)}
}
