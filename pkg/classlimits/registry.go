package classlimits

import (
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
)

// dockerHub is the host that users write for the registry that image references without a host refer to.
const dockerHub = "docker.io"

// repositoryOf returns the host and the path of an image reference. ok is false if the reference is invalid.
func repositoryOf(reference string) (repository string, ok bool) {
	parsed, err := name.ParseReference(reference)
	if err != nil {
		return "", false
	}
	host, path := parsed.Context().RegistryStr(), parsed.Context().RepositoryStr()
	if host == name.DefaultRegistry {
		host = dockerHub
	}
	return strings.ToLower(host) + "/" + path, true
}

// isWithin reports whether a repository is in a registry, or has the path prefix that follows the registry.
func isWithin(repository, entry string) bool {
	if host, path, _ := strings.Cut(entry, "/"); host == name.DefaultRegistry {
		entry = strings.TrimSuffix(dockerHub+"/"+path, "/")
	}
	return repository == entry || strings.HasPrefix(repository, entry+"/")
}
