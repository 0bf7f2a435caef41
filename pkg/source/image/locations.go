package image

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/openshift/platform-operators/pkg/mirrors"
)

// fromLocations calls do with the locations of an image, one after the other, until one of them serves it, and returns the reference there if
// it is a mirror. It tries a location that has just failed after all others. do gets the reference of the image at the location, with the
// options of requests for it. The time limit holds for all locations together, and each gets an equal share. Errors are of type *Error; if several
// locations failed, the error has the cause of each.
func (f *Fetcher) fromLocations(ctx context.Context, action string, from Source, image name.Reference,
	do func(ctx context.Context, ref name.Reference, options []remote.Option) error,
) (mirror string, err error) {
	if f.find == nil && !mirrors.IsValid(image) {
		return "", &Error{Class: Invalid, Action: action, Ref: from.Ref, Err: errors.New("the name of its registry or repository is invalid")}
	}
	limited, cancel := context.WithTimeout(ctx, f.limits.Time)
	defer cancel()
	rules, err := f.registries.Rules(limited)
	if err != nil {
		return "", &Error{Class: RegistryConfig, Action: action, Ref: from.Ref, Err: err}
	}
	if err := rules.CheckAllowed(image); err != nil {
		return "", &Error{Class: NotPermitted, Action: action, Ref: from.Ref, Err: err}
	}
	locations := rules.Locations(image, from.pulls(image))
	all := locationsError{locations: locations, errs: make([]*Error, len(locations))}
	for _, i := range f.failures.order(from, locations) {
		location := locations[i]
		shared, cancel := context.WithTimeout(limited, f.limits.Time/time.Duration(len(locations)))
		err := f.fromLocation(shared, action, from.at(location), location.IsMirror, do)
		cancel()
		if err == nil {
			if location.IsMirror {
				mirror = location.Ref
			}
			return mirror, nil
		}
		all.errs[i] = err
		if ctx.Err() != nil || err.Class.isLocationIndependent() {
			break
		}
		if len(locations) > 1 {
			f.failures.add(from, location, err)
		}
	}
	return "", all.result(action, from.Ref)
}

// fromLocation calls do with the reference of a source at one location. Errors are of type *Error.
func (f *Fetcher) fromLocation(ctx context.Context, action string, at locatedSource, isMirror bool, do func(ctx context.Context, ref name.Reference, options []remote.Option) error) *Error {
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

// locatedSource is a source at one of its locations, with the settings for the registry there.
type locatedSource struct {
	Source
	blocked string
}

// at returns a source at one of its locations. The settings of the source for its registry do not apply to mirrors, whose settings are those
// of the cluster.
func (s Source) at(location mirrors.Location) locatedSource {
	s.Ref = location.Ref
	if location.IsMirror {
		s.InsecureSkipTLSVerify, s.CertificateData = false, ""
	}
	s.InsecureSkipTLSVerify = s.InsecureSkipTLSVerify || location.IsInsecure
	return locatedSource{s, location.Blocked}
}

// isLocationIndependent reports whether the error would occur at every location.
func (c Class) isLocationIndependent() bool {
	return c == Reserved || c == DiskFull || c == Storage || c == SecretUnread || c == NoPolicyEngine
}

const (
	// maxLocations is the maximum number of locations in an error, and maxCauses the maximum size of all of them together, in bytes. A
	// condition has room for 1024 bytes with the name of the image and the remedy.
	maxLocations = 8
	maxCauses    = 600
)

// locationsError holds the error of each location of an image, in the order of the locations; nil for those that were not tried.
type locationsError struct {
	locations []mirrors.Location
	errs      []*Error
}

// result returns the error of an image. If only its own repository was tried, it is the error there. Otherwise it has their class if that is the
// same for all that are not blocked. It is Unverified if any is: then a location serves the image, and its signatures are what is missing.
func (e locationsError) result(action, ref string) error {
	tried := slices.DeleteFunc(slices.Clone(e.errs), func(err *Error) bool { return err == nil })
	if len(tried) == 1 && len(e.errs) == 1 {
		one := *tried[0]
		if one.Ref == e.locations[0].Ref { // and not, for example, an image of an index
			one.Ref = ref
		}
		return &one
	}
	class := Class("")
	for i, err := range e.errs {
		switch {
		case err == nil:
		case err.Class.isLocationIndependent():
			return &Error{Class: err.Class, Action: action, Ref: ref, Err: err.Err}
		case e.locations[i].Blocked != "" || class == err.Class || class == Unverified:
		case class == "" || err.Class == Unverified:
			class = err.Class
		default:
			class = AllLocationsFailed
		}
	}
	return &Error{Class: cmp.Or(class, NotPermitted), Action: action, Ref: ref, Err: &e}
}

// Error returns the repository and the cause for each location, in brackets, because a cause may have several clauses.
func (e *locationsError) Error() string {
	tried := len(slices.DeleteFunc(slices.Clone(e.errs), func(err *Error) bool { return err == nil }))
	budget := maxCauses / max(min(tried, maxLocations), 1)
	var causes []string
	for i, err := range e.errs {
		if err != nil && len(causes) < maxLocations {
			repository, _, _ := strings.Cut(e.locations[i].Ref, "@")
			causes = append(causes, "["+shortened(fmt.Sprintf("%s: %s", repository, cause(err.Err)), budget)+"]")
		}
	}
	if more := tried - len(causes); more > 0 {
		causes = append(causes, fmt.Sprintf("and %d more", more))
	}
	return "every location failed: " + strings.Join(causes, " ")
}

// Unwrap returns the errors of all locations.
func (e *locationsError) Unwrap() []error {
	var found []error
	for _, err := range e.errs {
		if err != nil {
			found = append(found, err)
		}
	}
	return found
}
