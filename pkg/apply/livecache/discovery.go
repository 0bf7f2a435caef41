package livecache

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// readVersion reads which resources one version of an API group serves. It returns an empty mapper if that version is not served.
func (m *Mapper) readVersion(ctx context.Context, version schema.GroupVersion) (meta.RESTMapper, error) {
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{version})
	var list metav1.APIResourceList
	if found, err := m.get(ctx, rootOf(version.Group)+"/"+version.Version, &list); err != nil || !found {
		return mapper, err
	}
	for _, resource := range list.APIResources {
		if strings.Contains(resource.Name, "/") || resource.Group != "" && resource.Group != version.Group {
			continue // a subresource, or a resource of another group that is served here
		}
		scope := meta.RESTScope(meta.RESTScopeRoot)
		if resource.Namespaced {
			scope = meta.RESTScopeNamespace
		}
		mapper.AddSpecific(version.WithKind(resource.Kind), version.WithResource(resource.Name), version.WithResource(resource.SingularName), scope)
	}
	return mapper, nil
}

// readVersionsOf reads which versions of an API group are served, the preferred one first. The result is empty if the group is not served.
func (m *Mapper) readVersionsOf(ctx context.Context, group string) ([]string, error) {
	if group == "" {
		var core metav1.APIVersions
		_, err := m.get(ctx, "/api", &core)
		return core.Versions, err
	}
	var found metav1.APIGroup
	if _, err := m.get(ctx, rootOf(group), &found); err != nil {
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

// readTimeout is the maximum time of a request. An aggregated API server may accept a request and never respond.
const readTimeout = 30 * time.Second

// groupsAge is the time for which the cached list of API groups is valid.
const groupsAge = 5 * time.Second

// Groups returns the versions of each API group that the API server serves. Callers share the map and must not change it.
func (m *Mapper) Groups(ctx context.Context) (map[string][]string, error) {
	if err := m.groupsLock.acquire(ctx); err != nil {
		return nil, fmt.Errorf("waiting for the list of API groups: %w", err)
	}
	defer m.groupsLock.release()
	if m.groups != nil && m.clock.Since(m.groupsAt) < groupsAge {
		return m.groups, nil
	}
	var list metav1.APIGroupList
	if _, err := m.get(ctx, "/apis", &list); err != nil {
		return nil, err
	}
	versions := map[string][]string{"": {"v1"}} // the list of API groups does not include the core group
	for _, group := range list.Groups {
		for _, each := range group.Versions {
			versions[group.Name] = append(versions[group.Name], each.Version)
		}
	}
	m.groups, m.groupsAt = versions, m.clock.Now()
	return versions, nil
}

// ReadPage returns a page of discovery as JSON, such as the page at path /apis/apps/v1.
type ReadPage func(ctx context.Context, path string) ([]byte, error)

// PagesOf returns a function that reads the discovery pages of an API server. It replaces client-go's discovery client, whose requests do
// not end when a context ends.
func PagesOf(client rest.Interface) ReadPage {
	return func(ctx context.Context, path string) ([]byte, error) {
		return client.Get().AbsPath(path).SetHeader("Accept", "application/json").Do(ctx).Raw()
	}
}

// get reads a discovery page into an object. It returns false if the page does not exist. It also returns false, without a request, for a
// path that contains a group such as "..", which no API server serves. Bundles with such a group are refused, but a stored revision may
// contain one and must be removable.
func (m *Mapper) get(ctx context.Context, address string, into any) (bool, error) {
	if path.Clean(address) != address {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	content, err := m.read(ctx, address)
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

// IsResourceNotServed reports whether an error means that the API server does not serve the resource. If only the requested object does not
// exist, it returns false, because the NotFound error then lacks the cause UnexpectedServerResponse.
func IsResourceNotServed(err error) bool {
	return apierrors.IsNotFound(err) && apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}
