package image

import (
	"slices"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/openshift/platform-operators/pkg/mirrors"
)

const (
	// locationPause is the time for which a location that has failed is asked only after the other locations of an image.
	locationPause = time.Minute
	// maxPauses is the maximum number of locations that are remembered.
	maxPauses = 1000
)

// pauses remembers which locations have just failed, so that a registry that does not respond delays one pull and not each of them. It is safe
// for concurrent use.
type pauses struct {
	clock clock.PassiveClock

	mu    sync.Mutex
	until map[pause]time.Time
}

// pause is what is not asked: a registry, or one image in it with one set of credentials.
type pause struct{ registry, ref, secretNamespace, secret string }

func newPauses(clock clock.PassiveClock) *pauses {
	return &pauses{clock: clock, until: map[pause]time.Time{}}
}

// ofRegistry and ofImage return what is paused after a failure of a registry, and after one that concerns only the image.
func ofRegistry(location mirrors.Location) pause {
	ref, err := name.ParseReference(location.Ref)
	if err != nil {
		return pause{ref: location.Ref}
	}
	return pause{registry: ref.Context().RegistryStr()}
}

func ofImage(from Source, location mirrors.Location) pause {
	return pause{ref: location.Ref, secretNamespace: from.SecretNamespace, secret: from.PullSecret}
}

// add remembers that a location has failed.
func (p *pauses) add(from Source, location mirrors.Location, class Class) {
	failed := ofRegistry(location)
	switch class {
	case NotFound, Unauthorized, Credentials, Corrupt, Refused, Invalid:
		failed = ofImage(from, location)
	case NotPermitted, Settings:
		return // no request was sent
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	if len(p.until) >= maxPauses {
		for each, until := range p.until {
			if !now.Before(until) {
				delete(p.until, each)
			}
		}
	}
	if len(p.until) < maxPauses {
		p.until[failed] = now.Add(locationPause)
	}
}

// last returns locations in the order in which they are asked: those that have just failed are last.
func (p *pauses) last(from Source, locations []mirrors.Location) []mirrors.Location {
	if len(locations) == 1 {
		return locations
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	isPaused := func(location mirrors.Location) bool {
		return now.Before(p.until[ofRegistry(location)]) || now.Before(p.until[ofImage(from, location)])
	}
	paused := slices.DeleteFunc(slices.Clone(locations), func(location mirrors.Location) bool { return !isPaused(location) })
	return append(slices.DeleteFunc(slices.Clone(locations), isPaused), paused...)
}
