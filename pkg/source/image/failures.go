package image

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/mirrors"
)

const (
	// failureAge is the time for which a location that has failed is tried only after the other locations of an image.
	failureAge = time.Minute
	// maxFailures is the maximum number of failures that are remembered.
	maxFailures = 1000
)

// recentFailures remembers which locations have just failed, so that a registry that does not respond delays one pull and not each of them. It
// is safe for concurrent use.
type recentFailures struct {
	clock clock.PassiveClock

	mu    sync.Mutex
	until map[failureKey]time.Time
}

// failureKey identifies what failed: a registry, or one image in it with one set of credentials.
type failureKey struct{ registry, ref, secretNamespace, secret string }

func newRecentFailures(clock clock.PassiveClock) *recentFailures {
	return &recentFailures{clock: clock, until: map[failureKey]time.Time{}}
}

// ofRegistry and ofImage return the key of a failure of a registry, and of one that concerns only the image.
func ofRegistry(location mirrors.Location) failureKey {
	ref, err := name.ParseReference(location.Ref)
	if err != nil {
		return failureKey{ref: location.Ref}
	}
	return failureKey{registry: ref.Context().RegistryStr()}
}

func ofImage(from Source, location mirrors.Location) failureKey {
	return failureKey{ref: location.Ref, secretNamespace: from.SecretNamespace, secret: from.PullSecret}
}

// add remembers that a location has failed.
func (f *recentFailures) add(from Source, location mirrors.Location, err *Error) {
	if err.Class == NotPermitted || err.Class == RegistryConfig {
		return // no request was sent
	}
	key := ofImage(from, location)
	if isOfRegistry(err) {
		key = ofRegistry(location)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.clock.Now()
	if len(f.until) >= maxFailures {
		for each, until := range f.until {
			if !now.Before(until) {
				delete(f.until, each)
			}
		}
	}
	if len(f.until) < maxFailures {
		f.until[key] = now.Add(failureAge)
	}
}

// isOfRegistry reports whether an error would occur for every image in a registry: no connection is made, or something in front of the registry
// answers that it is not there. Any other answer may be about the one image, which somebody has chosen who must not slow down others.
func isOfRegistry(err *Error) bool {
	if err.Class != Unreachable && err.Class != Untrusted || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	if response := (*transport.Error)(nil); errors.As(err, &response) {
		return response.StatusCode >= http.StatusBadGateway && response.StatusCode <= http.StatusGatewayTimeout
	}
	return true
}

// order returns the indexes of locations in the order in which they are tried: those that have just failed are last.
func (f *recentFailures) order(from Source, locations []mirrors.Location) []int {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.clock.Now()
	var fresh, failed []int
	for i, location := range locations {
		if now.Before(f.until[ofRegistry(location)]) || now.Before(f.until[ofImage(from, location)]) {
			failed = append(failed, i)
		} else {
			fresh = append(fresh, i)
		}
	}
	return append(fresh, failed...)
}
