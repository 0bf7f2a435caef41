package livecache

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/apply/object"
)

// Mapper finds the resource that serves a kind. It keeps a RESTMapper for each version of an API group, which it fills with one small
// request for that version. It is safe for concurrent use.
//
// client-go's DeferredDiscoveryRESTMapper reads the resources of the whole cluster again whenever a kind is not found. It does not
// distinguish a kind that is not served from one whose discovery fails, for example because an APIService is not available. Even for one
// version, client-go's NewDiscoveryRESTMapper maps kinds that are not served: each kind in lower case, and each with the suffix List.
type Mapper struct {
	read  ReadPage
	clock clock.PassiveClock

	// mu guards versions, waiting, and the fields of each servedVersion except its requestLock. It is never held during a request.
	mu       sync.Mutex
	versions map[schema.GroupVersion]*servedVersion
	// waiting holds the owners that requested a kind that was not served, keyed by API group.
	waiting map[string]map[string]bool

	groupsLock requestLock
	// groups holds the served versions of each API group, as of groupsAt; nil before the first request.
	groups   map[string][]string
	groupsAt time.Time
}

// servedVersion is the result of discovery for one version of an API group.
type servedVersion struct {
	// requestLock is held by the caller that reads the version.
	requestLock
	// mapper maps the kinds that are served; nil before the first response of the API server.
	mapper meta.RESTMapper
	// invalid is true if the mapper is out of date and must be read again before use.
	invalid bool
	// missedAt is the time of the first lookup that did not find a kind; zero if no kind is missing. readAt is the time of the last
	// request.
	missedAt, readAt time.Time
	// invalidations counts the calls of Invalidate and invalidateGroup. If one of them is called during a request, the response leaves the
	// version invalid.
	invalidations int
}

// NewMapper returns an empty Mapper, which reads pages of discovery with read.
func NewMapper(read ReadPage, clock clock.PassiveClock) *Mapper {
	return &Mapper{read: read, clock: clock, groupsLock: newRequestLock(),
		versions: map[schema.GroupVersion]*servedVersion{}, waiting: map[string]map[string]bool{}}
}

// Mapping returns the resource of a kind. For a kind that is not served, it returns a WaitError with the time until the next request. This
// time is short at first, because an earlier phase usually contains the CustomResourceDefinition, and grows later. When a
// CustomResourceDefinition of the API group appears, the owner is notified, and the next call sends a request at once. If owner is empty,
// no owner is notified.
func (m *Mapper) Mapping(ctx context.Context, owner string, kind schema.GroupVersionKind) (*meta.RESTMapping, error) {
	version := m.version(kind.GroupVersion())
	if found := m.validMapping(version, kind); found != nil {
		return found, nil
	}
	if err := version.acquire(ctx); err != nil {
		return nil, fmt.Errorf("waiting for the discovery of %s: %w", kind.GroupVersion(), err)
	}
	defer version.release()
	if found := m.validMapping(version, kind); found != nil { // another caller has read it meanwhile
		return found, nil
	}
	if err := m.refresh(ctx, version, kind.GroupVersion()); err != nil {
		return nil, fmt.Errorf("discovering which resource serves kind %s of %s: %w", kind.Kind, kind.GroupVersion(), err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if found := version.mapping(kind); found != nil {
		version.missedAt = time.Time{}
		return found, nil
	}
	now := m.clock.Now()
	if version.missedAt.IsZero() {
		version.missedAt = now
	}
	m.addWaiting(owner, kind.Group)
	return nil, &object.WaitError{
		Reason: fmt.Sprintf("waits for kind %s of %s to be served: no CustomResourceDefinition or APIService of this cluster defines it", kind.Kind, kind.GroupVersion()),
		After:  max(retryInterval(version.readAt.Sub(version.missedAt))-now.Sub(version.readAt), minInterval),
		Cause:  &meta.NoKindMatchError{GroupKind: kind.GroupKind(), SearchedVersions: []string{kind.Version}},
	}
}

// validMapping returns the cached resource of a kind; nil if the cache does not have it, or if the version must be read again.
func (m *Mapper) validMapping(version *servedVersion, kind schema.GroupVersionKind) *meta.RESTMapping {
	m.mu.Lock()
	defer m.mu.Unlock()
	if version.invalid {
		return nil
	}
	return version.mapping(kind)
}

// refresh reads a version from the API server, unless its last response that a kind is not served is still valid; see retryInterval. The
// caller holds the version's requestLock.
func (m *Mapper) refresh(ctx context.Context, version *servedVersion, name schema.GroupVersion) error {
	m.mu.Lock()
	now, invalidations := m.clock.Now(), version.invalidations
	isDue := version.missedAt.IsZero() || version.invalid || now.Sub(version.readAt) >= retryInterval(version.readAt.Sub(version.missedAt))
	m.mu.Unlock()
	if !isDue {
		return nil
	}
	mapper, err := m.readVersion(ctx, name)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	version.mapper, version.readAt = mapper, now
	version.invalid = version.invalidations != invalidations
	return nil
}

func (v *servedVersion) mapping(kind schema.GroupVersionKind) *meta.RESTMapping {
	if v.mapper == nil {
		return nil
	}
	found, err := v.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return nil // the only error is that the kind is not served
	}
	return found
}

const (
	// minInterval and maxInterval are the shortest and the longest time that retryInterval returns.
	minInterval = 250 * time.Millisecond
	maxInterval = 4 * time.Second
)

// retryInterval returns how long the response that a kind is not served stays valid. missing is how long the kind has not been served.
func retryInterval(missing time.Duration) time.Duration {
	return min(max(missing/10, minInterval), maxInterval)
}

// MappingInAnyVersion returns the resource of a kind in any served version, because objects remain when the API server stops serving the
// version in which they were applied. It returns nil if no version serves the kind. If discovery fails, it always returns an error. It does
// not use a cached response that a kind is not served, because the caller treats objects of such a kind as deleted.
func (m *Mapper) MappingInAnyVersion(ctx context.Context, kind schema.GroupVersionKind) (*meta.RESTMapping, error) {
	if found, err := m.uncachedMapping(ctx, kind); !meta.IsNoMatchError(err) {
		return found, err
	}
	versions, err := m.readVersionsOf(ctx, kind.Group)
	if err != nil {
		return nil, fmt.Errorf("discovering which versions of kind %s are served: %w", kind.GroupKind(), err)
	}
	for _, version := range versions {
		if version == kind.Version {
			continue
		}
		if found, err := m.uncachedMapping(ctx, kind.GroupKind().WithVersion(version)); !meta.IsNoMatchError(err) {
			return found, err
		}
	}
	return nil, nil
}

// uncachedMapping returns the resource of a kind. It sends a request before it returns the error that the kind is not served.
func (m *Mapper) uncachedMapping(ctx context.Context, kind schema.GroupVersionKind) (*meta.RESTMapping, error) {
	found, err := m.Mapping(ctx, "", kind)
	if meta.IsNoMatchError(err) {
		m.Invalidate(kind.GroupVersion())
		return m.Mapping(ctx, "", kind)
	}
	return found, err
}

// MappingInVersions returns the resource of a kind in the first of the versions that serves it; nil if none does. It uses cached responses.
func (m *Mapper) MappingInVersions(ctx context.Context, kind schema.GroupKind, versions []string) (*meta.RESTMapping, error) {
	for _, version := range versions {
		if found, err := m.Mapping(ctx, "", kind.WithVersion(version)); !meta.IsNoMatchError(err) {
			return found, err
		}
	}
	return nil, nil
}

// KnownMapping returns the cached resource of a kind without a request; nil if it is not in the cache.
func (m *Mapper) KnownMapping(kind schema.GroupVersionKind) *meta.RESTMapping {
	version := m.version(kind.GroupVersion())
	m.mu.Lock()
	defer m.mu.Unlock()
	return version.mapping(kind)
}

// Invalidate makes the next Mapping of any kind in a version send a request.
func (m *Mapper) Invalidate(version schema.GroupVersion) {
	found := m.version(version)
	m.mu.Lock()
	defer m.mu.Unlock()
	found.invalid = true
	found.invalidations++
}

// InvalidateAll makes the next Mapping of any kind send a request.
func (m *Mapper) InvalidateAll() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, each := range m.versions {
		each.invalid = true
		each.invalidations++
	}
	m.groups = nil
}

// invalidateGroup makes the next Mapping of a missing kind in an API group send a request. It returns the sorted owners that requested a
// missing kind of the group, and removes them from waiting. Without such owners it does nothing.
func (m *Mapper) invalidateGroup(group string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	owners := slices.Sorted(maps.Keys(m.waiting[group]))
	delete(m.waiting, group)
	for version, each := range m.versions {
		if version.Group == group && len(owners) > 0 {
			each.missedAt = time.Time{}
			each.invalidations++
		}
	}
	return owners
}

// addWaiting records that an owner has requested a kind of a group that is not served. The caller holds mu.
func (m *Mapper) addWaiting(owner, group string) {
	if owner == "" {
		return
	}
	if m.waiting[group] == nil {
		m.waiting[group] = map[string]bool{}
	}
	m.waiting[group][owner] = true
}

// forget removes an owner that was deleted from waiting.
func (m *Mapper) forget(owner string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, owners := range m.waiting {
		delete(owners, owner)
	}
}

func (m *Mapper) version(version schema.GroupVersion) *servedVersion {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := m.versions[version]
	if found == nil {
		found = &servedVersion{requestLock: newRequestLock()}
		m.versions[version] = found
	}
	return found
}
