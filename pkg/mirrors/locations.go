package mirrors

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
)

// Location is a repository from which an image can be pulled.
type Location struct {
	// Ref is the reference of the image at this location, with the tag or digest of the image.
	Ref string
	// IsMirror is true if the location is not the image's own repository.
	IsMirror bool
	// IsInsecure is true if the registry needs no valid certificate and may use plain HTTP.
	IsInsecure bool
	// Blocked is the reason why the cluster does not permit requests to this location, as a clause that names the object; empty if it permits
	// them.
	Blocked string
}

// Locations returns the locations from which an image is pulled, in the order in which they are tried. The image's own repository is one of
// them, also if it is blocked. by selects the mirrors; it is usually PullFromMirrorOf(image).
func (r *Rules) Locations(image name.Reference, by PullFromMirror) []Location {
	repository := repositoryOf(image)
	suffix := suffixOf(image)
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
		if each.pulls != by || strings.HasPrefix(rest, ":") { // the source has no port, so its mirror cannot have it
			continue
		}
		target := each.location + rest
		if target == repository {
			add(own)
			continue
		}
		location := Location{Ref: target + suffix, IsMirror: true, IsInsecure: each.insecure}
		if of := r.match(target); of != nil {
			location.Blocked = of.blocked
		}
		if !isRepository(target) {
			location.Blocked = fmt.Sprintf("mirror %q of source %q has no valid registry: the host needs a dot or a port, or must be localhost", each.location, matching.scope)
		}
		add(location)
	}
	add(own)
	return found
}

// CheckAllowed returns an error that names the object if the cluster permits no pull of an image, from whichever location. As for Pods, the image's
// own name counts, and not those of its mirrors.
func (r *Rules) CheckAllowed(image name.Reference) error {
	if r == nil {
		return nil
	}
	if len(r.invalidBlocked) > 0 {
		return fmt.Errorf(`blockedRegistries of Image "cluster" has invalid entry %q`, r.invalidBlocked[0])
	}
	scopes := PolicyScopes(image)
	for _, scope := range r.blocked {
		if slices.Contains(scopes, scope) {
			return errors.New(blockedBy(scope))
		}
	}
	if r.isLimited && !slices.ContainsFunc(r.allowed, func(scope string) bool { return slices.Contains(scopes, scope) }) {
		return errors.New(`allowedRegistries of Image "cluster" does not have this registry`)
	}
	return nil
}

// PolicyScopes returns all scopes that match an image, by containers-policy.json(5), from the most specific one: the image, its repository, the
// namespaces of the repository, its registry, and wildcards for the domain of the registry, whatever its port.
func PolicyScopes(image name.Reference) []string {
	scope := repositoryOf(image)
	scopes := []string{scope + suffixOf(image)}
	for {
		scopes = append(scopes, scope)
		at := strings.LastIndex(scope, "/")
		if at < 0 {
			break
		}
		scope = scope[:at]
	}
	domain, _, _ := strings.Cut(scope, ":")
	for {
		_, parent, ok := strings.Cut(domain, ".")
		if !ok {
			return scopes
		}
		scopes, domain = append(scopes, "*."+parent), parent
	}
}

// IsValid reports whether the name of an image is valid. The parser of go-containerregistry also accepts names with ".." or empty components,
// which a server may take for another repository than the one that was checked.
func IsValid(image name.Reference) bool {
	repository := repositoryOf(image)
	return location.MatchString(repository) && strings.Contains(repository, "/") && !strings.HasSuffix(image.Context().Name(), "/")
}

// isRepository reports whether a name is that of a repository with its registry. A registry has a dot, a port, or the name localhost.
// Otherwise the name would be that of a repository on Docker Hub.
func isRepository(target string) bool {
	registry, repository, _ := strings.Cut(target, "/")
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

// repositoryOf returns the repository of an image with its registry, normalized.
func repositoryOf(image name.Reference) string { return NormalizeScope(image.Context().Name()) }

// suffixOf returns the tag or digest of an image, with the separator.
func suffixOf(image name.Reference) string {
	return strings.TrimPrefix(image.Name(), image.Context().Name())
}

// matchLength returns the length of the beginning of a repository that a scope matches; 0 if it does not match. A scope without a port also
// matches registries with a port, as in containers/image.
func matchLength(scope, repository string) int {
	if length := includedLength(scope, repository); length > 0 {
		return length
	}
	if !strings.Contains(scope, "/") && strings.HasPrefix(repository, scope+":") {
		return len(scope)
	}
	return 0
}

// includedLength returns the length of the beginning of a repository or scope that a scope includes; 0 if it does not include it. The
// machine-config operator hands flags of registries down to what is included.
func includedLength(scope, repository string) int {
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
func includes(scope, other string) bool { return includedLength(scope, other) > 0 }
