package image

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/openshift/platform-operators/pkg/mirrors"
)

// fromLocations calls do with the locations of an image, one after the other, until one of them serves it, and returns the reference there if
// it is a mirror. It asks a location that has just failed only after all others. do gets the reference of the image at the location, with the
// options of requests for it. The time limit holds for all locations together. Errors are of type *Error; if several locations failed, the
// error has the cause of each.
func (f *Fetcher) fromLocations(ctx context.Context, action string, from Source, image name.Reference,
	do func(ctx context.Context, ref name.Reference, options []remote.Option) error,
) (mirror string, err error) {
	ctx, cancel := context.WithTimeout(ctx, f.limits.Time)
	defer cancel()
	rules, err := f.registries.Rules(ctx)
	if err != nil {
		return "", &Error{Class: Settings, Action: action, Ref: from.Ref, Err: err}
	}
	if reason := rules.Refusal(image); reason != "" {
		return "", &Error{Class: NotPermitted, Action: action, Ref: from.Ref, Err: errors.New(reason)}
	}
	var failed unservedError
	locations := rules.Locations(image, from.pulls(image))
	for _, location := range f.pauses.last(from, locations) {
		err := f.fromLocation(ctx, action, from.at(location), location.IsMirror, do)
		if err == nil {
			if location.IsMirror {
				mirror = location.Ref
			}
			return mirror, nil
		}
		if err.Class.isOurs() || ctx.Err() != nil {
			return "", failed.with(location, err).result(action, from.Ref)
		}
		if len(locations) > 1 {
			f.pauses.add(from, location, err.Class)
		}
		failed = failed.with(location, err)
	}
	return "", failed.result(action, from.Ref)
}

// fromLocation calls do with the reference of a source at one location. Errors are of type *Error.
func (f *Fetcher) fromLocation(ctx context.Context, action string, at place, isMirror bool, do func(ctx context.Context, ref name.Reference, options []remote.Option) error) *Error {
	if at.blocked != "" {
		return &Error{Class: NotPermitted, Action: action, Ref: at.Ref, Err: errors.New(at.blocked)}
	}
	ref, err := name.ParseReference(at.Ref, at.options()...)
	if err != nil {
		return &Error{Class: Invalid, Action: action, Ref: at.Ref, Err: err}
	}
	options, end, err := f.begin(ctx, at.Source, isMirror)
	if err == nil {
		defer end()
		err = do(ctx, ref, options)
	}
	return asError(action, at.Ref, err)
}

// place is a source at one of its locations, with the settings for the registry there.
type place struct {
	Source
	blocked string
}

// at returns a source at one of its locations. The settings of the source for its registry do not apply to mirrors, whose settings are those
// of the cluster.
func (s Source) at(location mirrors.Location) place {
	s.Ref = location.Ref
	if location.IsMirror {
		s.InsecureSkipTLSVerify, s.CertificateData = false, ""
	}
	s.InsecureSkipTLSVerify = s.InsecureSkipTLSVerify || location.IsInsecure
	return place{s, location.Blocked}
}

// isOurs reports whether a fault is not that of a location, so that another location would not help.
func (c Class) isOurs() bool {
	return c == Reserved || c == DiskFull || c == Storage || c == SecretUnread
}

const (
	// maxLocations is the maximum number of locations in an error, and maxCause the maximum size of the cause of each, in bytes.
	maxLocations = 16
	maxCause     = 256
)

// unservedError says why each location of an image has not served it.
type unservedError struct {
	locations []mirrors.Location
	errs      []*Error
}

func (e unservedError) with(location mirrors.Location, err *Error) unservedError {
	return unservedError{append(e.locations, location), append(e.errs, err)}
}

// result returns the error of an image. With one location, it is the error there. With more of them, it has their class if that is the same
// for all that were asked.
func (e unservedError) result(action, ref string) error {
	if len(e.errs) == 1 {
		one := *e.errs[0]
		if one.Ref == e.locations[0].Ref { // and not, for example, an image of an index
			one.Ref = ref
		}
		return &one
	}
	class := Class("")
	for i, err := range e.errs {
		switch {
		case err.Class.isOurs():
			class = err.Class
		case e.locations[i].Blocked != "" || class == err.Class:
		case class == "":
			class = err.Class
		default:
			class = Unserved
		}
	}
	if class == "" {
		class = NotPermitted
	}
	return &Error{Class: class, Action: action, Ref: ref, Err: &e}
}

// Error returns the repository and the cause for each location.
func (e *unservedError) Error() string {
	var told []string
	for i, err := range e.errs[:min(len(e.errs), maxLocations)] {
		repository, _, _ := strings.Cut(e.locations[i].Ref, "@")
		told = append(told, fmt.Sprintf("%s: %s", repository, shortened(cause(err.Err), maxCause)))
	}
	if more := len(e.errs) - maxLocations; more > 0 {
		told = append(told, fmt.Sprintf("and %d more locations", more))
	}
	return "no location serves it: " + strings.Join(told, "; ")
}

// Unwrap returns the errors of all locations.
func (e *unservedError) Unwrap() []error {
	found := make([]error, len(e.errs))
	for i, err := range e.errs {
		found[i] = err
	}
	return found
}
