package mirrors

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
)

// Location is a place from which an image can be pulled.
type Location struct {
	// Ref is the reference of the image in this place, with the tag or digest of the image.
	Ref string
	// IsMirror is true if the place is not the image's own repository.
	IsMirror bool
	// IsInsecure is true if the registry needs no valid certificate and may use plain HTTP.
	IsInsecure bool
	// Blocked is the reason why the cluster does not permit requests to this place, as a clause that names the object; empty if it permits
	// them.
	Blocked string
}

// Locations returns the places from which an image is pulled, in the order in which they are asked. The image's own repository is one of
// them, also if it is blocked. by selects the mirrors; it is usually PullsOf(image).
func (r *Rules) Locations(image name.Reference, by Pulls) []Location {
	repository := repositoryOf(image)
	suffix := strings.TrimPrefix(image.Name(), image.Context().Name())
	own := Location{Ref: repository + suffix}
	matching := r.match(repository)
	if matching == nil {
		return []Location{own}
	}
	own.IsInsecure, own.Blocked = matching.insecure, matching.blocked
	found := make([]Location, 0, len(matching.mirrors)+1)
	add := func(location Location) {
		if !slices.ContainsFunc(found, func(other Location) bool { return other.Ref == location.Ref }) {
			found = append(found, location)
		}
	}
	rest := repository[matchLength(matching.scope, repository):]
	for _, each := range matching.mirrors {
		if each.pulls != by || strings.HasPrefix(rest, ":") { // a wildcard also matches the hosts of registries with a port
			continue
		}
		place := each.location + rest
		if place == repository {
			add(own)
			continue
		}
		location := Location{Ref: place + suffix, IsMirror: true, IsInsecure: each.insecure}
		if of := r.match(place); of != nil {
			location.Blocked = of.blocked
		}
		if !isRepository(place) {
			location.Blocked = fmt.Sprintf("mirror %q of source %q results in no repository with a registry", each.location, matching.scope)
		}
		add(location)
	}
	add(own)
	return found
}

// Refusal returns the reason why the cluster permits no pull of an image, from whichever place, as a clause that names the object; empty if
// it permits pulls. As for Pods, the image's own name counts, and not those of its mirrors.
func (r *Rules) Refusal(image name.Reference) string {
	if r == nil {
		return ""
	}
	repository := repositoryOf(image)
	for _, scope := range r.blocked {
		if permits(scope, repository) {
			return blockedBy(scope)
		}
	}
	if len(r.allowed) > 0 && !slices.ContainsFunc(r.allowed, func(scope string) bool { return permits(scope, repository) }) {
		return `allowedRegistries of Image "cluster" does not have this registry`
	}
	return ""
}

// isRepository reports whether a name is that of a repository with its registry. A registry has a dot, a port, or the name localhost.
// Otherwise the name would be that of a repository on Docker Hub.
func isRepository(place string) bool {
	registry, repository, _ := strings.Cut(place, "/")
	return repository != "" && (strings.ContainsAny(registry, ".:") || registry == "localhost")
}

// match returns the entry with the longest scope that matches a repository; nil if none does.
func (r *Rules) match(repository string) *entry {
	if r == nil {
		return nil
	}
	var found *entry
	for i, each := range r.entries {
		if matchLength(each.scope, repository) > 0 && (found == nil || len(each.scope) > len(found.scope)) {
			found = &r.entries[i]
		}
	}
	return found
}

// repositoryOf returns the repository of an image with its registry. Docker Hub is docker.io, as in registries.conf.
func repositoryOf(image name.Reference) string {
	repository := image.Context().Name()
	if rest, ok := strings.CutPrefix(repository, name.DefaultRegistry+"/"); ok {
		return "docker.io/" + rest
	}
	return repository
}

// matchLength returns the length of the beginning of a repository that a scope matches; 0 if it does not match.
func matchLength(scope, repository string) int {
	if domain, ok := strings.CutPrefix(scope, "*"); ok {
		host, _, _ := strings.Cut(repository, "/")
		host, _, _ = strings.Cut(host, ":")
		if strings.HasSuffix(host, domain) {
			return len(host)
		}
		return 0
	}
	if repository == scope || strings.HasPrefix(repository, scope+"/") {
		return len(scope)
	}
	return 0
}

// includes reports whether a scope includes another scope.
func includes(scope, other string) bool { return matchLength(scope, other) > 0 }

// permits reports whether a scope of allowedRegistries or blockedRegistries has a repository, by containers-policy.json(5): a wildcard does
// not match a registry with a port.
func permits(scope, repository string) bool {
	if domain, ok := strings.CutPrefix(scope, "*"); ok {
		host, _, _ := strings.Cut(repository, "/")
		return strings.HasSuffix(host, domain)
	}
	return includes(scope, repository)
}
