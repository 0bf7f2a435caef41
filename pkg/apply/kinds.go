package apply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
)

// kinds knows which resource serves a kind. It asks for one version of one group at a time: what fails, or is never served,
// costs one small request and holds up nothing else.
type kinds struct {
	client rest.Interface
	clock  clock.PassiveClock

	mu       sync.Mutex
	versions map[schema.GroupVersion]*served
	// waiting are the owners that asked for a kind of a group in vain.
	waiting map[string]map[string]bool

	groupsMu sync.Mutex // held during the request to the API server
	// served are the versions of each API group, as of servedAt.
	served   map[string][]string
	servedAt time.Time
}

// served is what is known of one version of a group.
type served struct {
	mu    sync.Mutex // held while the API server is asked, so that it is asked once
	kinds map[string]apiResource
	// stale: what is known was found to be outdated.
	stale bool
	// missed is when a kind was first looked for in vain, asked when the API server was asked last.
	missed, asked time.Time
}

// apiResource is where the objects of a kind are read and written.
type apiResource struct {
	schema.GroupVersionResource
	namespaced bool
}

func newKinds(client rest.Interface, clock clock.PassiveClock) *kinds {
	return &kinds{client: client, clock: clock, versions: map[schema.GroupVersion]*served{}, waiting: map[string]map[string]bool{}}
}

// find gives the resource of a kind. For one that is not served it returns a waitingError, which says when the API server
// will be asked again: often at first, because the kind mostly comes with a CustomResourceDefinition of the phase before,
// and less and less often then. When a CustomResourceDefinition of the group appears, stir makes it ask at once.
func (k *kinds) find(ctx context.Context, owner string, kind schema.GroupVersionKind) (apiResource, error) {
	version := k.version(kind.GroupVersion())
	version.mu.Lock()
	defer version.mu.Unlock()
	if found, ok := version.kinds[kind.Kind]; ok && !version.stale {
		return found, nil
	}
	now := k.clock.Now()
	if version.missed.IsZero() || version.stale || now.Sub(version.asked) >= askAgain(version.asked.Sub(version.missed)) {
		known, err := k.ask(ctx, kind.GroupVersion())
		if err != nil {
			return apiResource{}, fmt.Errorf("discovering which resource serves kind %s of %s: %w", kind.Kind, kind.GroupVersion(), err)
		}
		version.kinds, version.stale, version.asked = known, false, now
	}
	if found, ok := version.kinds[kind.Kind]; ok {
		version.missed = time.Time{}
		return found, nil
	}
	if version.missed.IsZero() {
		version.missed = now
	}
	k.wait(owner, kind.Group)
	return apiResource{}, &waitingError{
		reason: fmt.Sprintf("waits for kind %s of %s to be served: no CustomResourceDefinition or APIService of this cluster defines it", kind.Kind, kind.GroupVersion()),
		after:  max(askAgain(version.asked.Sub(version.missed))-now.Sub(version.asked), minAsk),
	}
}

const (
	minAsk = 250 * time.Millisecond
	maxAsk = 10 * time.Second
)

// askAgain is how long an answer that a kind is not served stands, when it has been so for a time.
func askAgain(missing time.Duration) time.Duration { return min(max(missing/10, minAsk), maxAsk) }

// findAny gives the resource of a kind in whatever version is served: what was applied in one version stays when the API
// server stops serving that one. It is false when no version is; what cannot be asked is an error and never "no".
func (k *kinds) findAny(ctx context.Context, kind schema.GroupVersionKind) (apiResource, bool, error) {
	var unserved *waitingError
	if found, err := k.findNow(ctx, kind); err == nil || !errors.As(err, &unserved) {
		return found, err == nil, err
	}
	versions, err := k.versionsOf(ctx, kind.Group)
	if err != nil {
		return apiResource{}, false, fmt.Errorf("discovering which versions of kind %s are served: %w", kind.GroupKind(), err)
	}
	for _, version := range versions {
		if version == kind.Version {
			continue
		}
		if found, err := k.findNow(ctx, kind.GroupKind().WithVersion(version)); err == nil || !errors.As(err, &unserved) {
			return found, err == nil, err
		}
	}
	return apiResource{}, false, nil
}

// findNow is find that believes no answer of before that a kind is not served: upon it objects count as gone.
func (k *kinds) findNow(ctx context.Context, kind schema.GroupVersionKind) (apiResource, error) {
	found, err := k.find(ctx, "", kind)
	if unserved := (*waitingError)(nil); errors.As(err, &unserved) {
		k.outdated(kind.GroupVersion())
		return k.find(ctx, "", kind)
	}
	return found, err
}

// known gives the resource of a kind without asking.
func (k *kinds) known(kind schema.GroupVersionKind) (apiResource, bool) {
	version := k.version(kind.GroupVersion())
	version.mu.Lock()
	defer version.mu.Unlock()
	found, ok := version.kinds[kind.Kind]
	return found, ok
}

// outdated makes the next question about a version ask the API server, because an answer of it contradicts what is known.
func (k *kinds) outdated(version schema.GroupVersion) {
	found := k.version(version)
	found.mu.Lock()
	defer found.mu.Unlock()
	found.stale = true
}

// stir makes the next question about a group ask the API server, and gives the owners that asked in vain.
func (k *kinds) stir(group string) []string {
	k.mu.Lock()
	var owners []string
	for owner := range k.waiting[group] {
		owners = append(owners, owner)
	}
	delete(k.waiting, group)
	var versions []*served
	for version, each := range k.versions {
		if version.Group == group && len(owners) > 0 {
			versions = append(versions, each)
		}
	}
	k.mu.Unlock()
	for _, each := range versions {
		each.mu.Lock()
		each.missed = time.Time{}
		each.mu.Unlock()
	}
	slices.Sort(owners)
	return owners
}

func (k *kinds) wait(owner, group string) {
	if owner == "" {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.waiting[group] == nil {
		k.waiting[group] = map[string]bool{}
	}
	k.waiting[group][owner] = true
}

func (k *kinds) forget(owner string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, owners := range k.waiting {
		delete(owners, owner)
	}
}

func (k *kinds) version(version schema.GroupVersion) *served {
	k.mu.Lock()
	defer k.mu.Unlock()
	found := k.versions[version]
	if found == nil {
		found = &served{}
		k.versions[version] = found
	}
	return found
}

// ask reads what one version of a group serves; nothing when there is no such version.
func (k *kinds) ask(ctx context.Context, version schema.GroupVersion) (map[string]apiResource, error) {
	var list metav1.APIResourceList
	if found, err := k.get(ctx, rootOf(version.Group)+"/"+version.Version, &list); err != nil || !found {
		return nil, err
	}
	resources := map[string]apiResource{}
	for _, each := range list.APIResources {
		if strings.Contains(each.Name, "/") || each.Group != "" && each.Group != version.Group {
			continue // a subresource, or something of another group that is served here
		}
		resources[each.Kind] = apiResource{version.WithResource(each.Name), each.Namespaced}
	}
	return resources, nil
}

// versionsOf reads which versions of a group are served, the preferred one first.
func (k *kinds) versionsOf(ctx context.Context, group string) ([]string, error) {
	if group == "" {
		var core metav1.APIVersions
		_, err := k.get(ctx, "/api", &core)
		return core.Versions, err
	}
	var found metav1.APIGroup
	if _, err := k.get(ctx, rootOf(group), &found); err != nil {
		return nil, err
	}
	versions := []string{}
	for _, each := range append([]metav1.GroupVersionForDiscovery{found.PreferredVersion}, found.Versions...) {
		if each.Version != "" && !slices.Contains(versions, each.Version) {
			versions = append(versions, each.Version)
		}
	}
	return versions, nil
}

// groupsAge is how long the list of served API groups is valid.
const groupsAge = 5 * time.Second

// groups returns the versions of each API group that the API server serves. Callers share the map and must not change it.
func (k *kinds) groups(ctx context.Context) (map[string][]string, error) {
	k.groupsMu.Lock()
	defer k.groupsMu.Unlock()
	if k.served != nil && k.clock.Since(k.servedAt) < groupsAge {
		return k.served, nil
	}
	var list metav1.APIGroupList
	if _, err := k.get(ctx, "/apis", &list); err != nil {
		return nil, err
	}
	versions := map[string][]string{"": {"v1"}} // the list of API groups does not include the core group
	for _, group := range list.Groups {
		for _, each := range group.Versions {
			versions[group.Name] = append(versions[group.Name], each.Version)
		}
	}
	k.served, k.servedAt = versions, k.clock.Now()
	return versions, nil
}

// findIn returns the resource of a kind in the first of the versions that serves it; false when none does. It uses cached answers.
func (k *kinds) findIn(ctx context.Context, kind schema.GroupKind, versions []string) (apiResource, bool, error) {
	for _, version := range versions {
		found, err := k.find(ctx, "", kind.WithVersion(version))
		if unserved := (*waitingError)(nil); err == nil || !errors.As(err, &unserved) {
			return found, err == nil, err
		}
	}
	return apiResource{}, false, nil
}

// get reads a page of discovery; false when there is no such page. Of a group such as .. there can be none, and something else
// would be asked for: bundles that have one are refused, but revisions may have been stored before that, and have to go.
func (k *kinds) get(ctx context.Context, address string, into any) (bool, error) {
	if path.Clean(address) != address {
		return false, nil
	}
	content, err := k.client.Get().AbsPath(address).SetHeader("Accept", "application/json").Do(ctx).Raw()
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := json.Unmarshal(content, into); err != nil {
		return false, fmt.Errorf("reading %s: %w", address, err)
	}
	return true, nil
}

func rootOf(group string) string {
	if group == "" {
		return "/api"
	}
	return "/apis/" + group
}

// notServed tells the API server's answer that it has no such resource from the one that it has no such object.
func notServed(err error) bool {
	return apierrors.IsNotFound(err) && apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}
