package apply

import (
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/restmapper"
	"k8s.io/utils/clock"
)

// rediscoverAfter is how long an answer that a kind is not served stands before the API server is asked again. Kinds
// appear with the CustomResourceDefinitions of the phase before, so that it has to be short; it is asked for all kinds at
// once, so that it must not be nothing.
const rediscoverAfter = time.Second

// kinds knows which resource serves a kind.
type kinds struct {
	clock  clock.PassiveClock
	mapper *restmapper.DeferredDiscoveryRESTMapper

	mu      sync.Mutex
	resetAt time.Time
}

func newKinds(client discovery.CachedDiscoveryInterface, clock clock.PassiveClock) *kinds {
	return &kinds{clock: clock, mapper: restmapper.NewDeferredDiscoveryRESTMapper(client)}
}

// mapping gives the resource of a kind. A kind that is not served is asked for again, at most once in rediscoverAfter.
func (k *kinds) mapping(kind schema.GroupVersionKind) (*meta.RESTMapping, error) {
	mapping, err := k.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) && k.mayReset() {
		k.mapper.Reset()
		mapping, err = k.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	}
	if meta.IsNoMatchError(err) {
		return nil, waitFor("kind %s of %s is not served by this cluster; it waits for the CustomResourceDefinition to be installed", kind.Kind, kind.GroupVersion())
	}
	if err != nil {
		return nil, fmt.Errorf("discovering which resource serves kind %s of %s: %w", kind.Kind, kind.GroupVersion(), err)
	}
	return mapping, nil
}

// mappingAny gives the resource of a kind in whatever version is served: what was applied in one version stays when the
// API server stops serving that one.
func (k *kinds) mappingAny(kind schema.GroupVersionKind) (*meta.RESTMapping, error) {
	mapping, err := k.mapping(kind)
	if waiting := (*waitingError)(nil); !errors.As(err, &waiting) {
		return mapping, err
	}
	if other, otherErr := k.mapper.RESTMapping(kind.GroupKind()); !meta.IsNoMatchError(otherErr) {
		return other, otherErr
	}
	return nil, err
}

// reset makes the next question ask the API server.
func (k *kinds) reset() {
	if k.mayReset() {
		k.mapper.Reset()
	}
}

// notServed tells the API server's answer that it has no such resource from the one that it has no such object.
func notServed(err error) bool {
	return apierrors.IsNotFound(err) && apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}

func (k *kinds) mayReset() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.clock.Now()
	if now.Sub(k.resetAt) < rediscoverAfter {
		return false
	}
	k.resetAt = now
	return true
}
