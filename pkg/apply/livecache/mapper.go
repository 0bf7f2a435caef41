package livecache

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/apply/object"
)

// Mapper finds the resource that serves a kind. It holds a RESTMapper for each version of an API group, which it fills by one small
// request for that version. client-go's DeferredDiscoveryRESTMapper reads the resources of the whole cluster again whenever a kind is
// not found, and does not tell a kind that is not served from one whose discovery fails, such as one of an APIService that is down. Its
// NewDiscoveryRESTMapper, given one version, also maps kinds that nothing serves: each kind in lower case, and each with List appended.
type Mapper struct {
	read  ReadPage
	clock clock.PassiveClock

	mu       sync.Mutex
	versions map[schema.GroupVersion]*servedVersion
	// waiting are the owners, by API group, that looked for a kind in vain.
	waiting map[string]map[string]bool

	groupsMu sync.Mutex // held during the request to the API server
	// groups are the versions of each API group, as of groupsAt.
	groups   map[string][]string
	groupsAt time.Time
}

// servedVersion is the discovery of one version of an API group.
type servedVersion struct {
	mu sync.Mutex // held during the request to the API server, so that it is asked once
	// mapper maps the kinds that are served; nil until the API server has answered.
	mapper meta.RESTMapper
	// invalid is whether an answer of the API server contradicts the mapper.
	invalid bool
	// missedAt is when a kind was first looked for in vain; readAt is when the API server was asked last.
	missedAt, readAt time.Time
}

// NewMapper returns a Mapper that knows nothing yet.
func NewMapper(read ReadPage, clock clock.PassiveClock) *Mapper {
	return &Mapper{read: read, clock: clock, versions: map[schema.GroupVersion]*servedVersion{}, waiting: map[string]map[string]bool{}}
}

// Mapping returns the resource of a kind. For a kind that is not served it returns a WaitError with the time of the next request: soon at
// first, because the kind usually comes with a CustomResourceDefinition of the phase before, and less often later. The owner is
// notified when a CustomResourceDefinition of the API group appears; the API server is then asked at once.
func (m *Mapper) Mapping(ctx context.Context, owner string, kind schema.GroupVersionKind) (*meta.RESTMapping, error) {
	version := m.version(kind.GroupVersion())
	version.mu.Lock()
	defer version.mu.Unlock()
	if found := version.mapping(kind); found != nil && !version.invalid {
		return found, nil
	}
	now := m.clock.Now()
	if version.missedAt.IsZero() || version.invalid || now.Sub(version.readAt) >= retryInterval(version.readAt.Sub(version.missedAt)) {
		mapper, err := m.readVersion(ctx, kind.GroupVersion())
		if err != nil {
			return nil, fmt.Errorf("discovering which resource serves kind %s of %s: %w", kind.Kind, kind.GroupVersion(), err)
		}
		version.mapper, version.invalid, version.readAt = mapper, false, now
	}
	if found := version.mapping(kind); found != nil {
		version.missedAt = time.Time{}
		return found, nil
	}
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
	minInterval = 250 * time.Millisecond
	maxInterval = 10 * time.Second
)

// retryInterval is how long the answer that a kind is not served is valid, once it has been so for some time.
func retryInterval(missing time.Duration) time.Duration {
	return min(max(missing/10, minInterval), maxInterval)
}

// MappingInAnyVersion returns the resource of a kind in any version that is served: what was applied in one version stays when the API
// server stops serving that version. It returns nil when no version is served. A failed discovery is an error, never nil. It uses no
// cached answer that a kind is not served: objects of such a kind count as gone.
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

func (m *Mapper) uncachedMapping(ctx context.Context, kind schema.GroupVersionKind) (*meta.RESTMapping, error) {
	found, err := m.Mapping(ctx, "", kind)
	if meta.IsNoMatchError(err) {
		m.Invalidate(kind.GroupVersion())
		return m.Mapping(ctx, "", kind)
	}
	return found, err
}

// MappingInVersions returns the resource of a kind in the first of the versions that serves it; nil when none does. It uses cached
// answers.
func (m *Mapper) MappingInVersions(ctx context.Context, kind schema.GroupKind, versions []string) (*meta.RESTMapping, error) {
	for _, version := range versions {
		if found, err := m.Mapping(ctx, "", kind.WithVersion(version)); !meta.IsNoMatchError(err) {
			return found, err
		}
	}
	return nil, nil
}

// KnownMapping returns the resource of a kind without a request; nil when it is not known.
func (m *Mapper) KnownMapping(kind schema.GroupVersionKind) *meta.RESTMapping {
	version := m.version(kind.GroupVersion())
	version.mu.Lock()
	defer version.mu.Unlock()
	return version.mapping(kind)
}

// Invalidate makes the next look-up in a version ask the API server.
func (m *Mapper) Invalidate(version schema.GroupVersion) {
	found := m.version(version)
	found.mu.Lock()
	defer found.mu.Unlock()
	found.invalid = true
}

// invalidateGroup makes the next look-up of a missing kind in an API group ask the API server. It returns the owners that looked for a
// kind of the group in vain.
func (m *Mapper) invalidateGroup(group string) []string {
	m.mu.Lock()
	var owners []string
	for owner := range m.waiting[group] {
		owners = append(owners, owner)
	}
	delete(m.waiting, group)
	var versions []*servedVersion
	for version, each := range m.versions {
		if version.Group == group && len(owners) > 0 {
			versions = append(versions, each)
		}
	}
	m.mu.Unlock()
	for _, each := range versions {
		each.mu.Lock()
		each.missedAt = time.Time{}
		each.mu.Unlock()
	}
	slices.Sort(owners)
	return owners
}

func (m *Mapper) addWaiting(owner, group string) {
	if owner == "" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.waiting[group] == nil {
		m.waiting[group] = map[string]bool{}
	}
	m.waiting[group][owner] = true
}

// forget forgets an owner that is gone.
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
		found = &servedVersion{}
		m.versions[version] = found
	}
	return found
}
