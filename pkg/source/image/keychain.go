package image

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
)

// keychain finds the credentials of a repository as the kubelet does, so that a pull secret that serves a Pod serves here:
// a key may name a registry, or a registry and the beginning of a repository's path, and its host may have wildcards in
// the labels of its name. The longest path wins, and a host without wildcards over one with them. The best match first.
type keychain []login

type login struct {
	host, path string
	auth       authn.AuthConfig
}

func newKeychain(auths map[string]authn.AuthConfig) keychain {
	var logins keychain
	for key, auth := range auths {
		host, prefix, ok := splitKey(key)
		if ok {
			logins = append(logins, login{host: host, path: prefix, auth: auth})
		}
	}
	slices.SortFunc(logins, func(a, b login) int {
		return cmp.Or(
			cmp.Compare(len(b.path), len(a.path)),
			cmp.Compare(strings.Count(a.host, "*"), strings.Count(b.host, "*")),
			cmp.Compare(a.host, b.host), cmp.Compare(a.path, b.path),
		)
	})
	return logins
}

// splitKey reads a key of a docker configuration, such as "quay.io/team" or "https://index.docker.io/v1/".
func splitKey(key string) (host, prefix string, ok bool) {
	if !strings.HasPrefix(key, "https://") && !strings.HasPrefix(key, "http://") {
		key = "https://" + key
	}
	parsed, err := url.Parse(key)
	if err != nil || parsed.Host == "" {
		return "", "", false // the kubelet passes over it too; another entry may be the one that is needed
	}
	prefix = parsed.Path
	for _, api := range []string{"/v1", "/v2"} { // the address of a registry's API is its host
		if prefix == api || strings.HasPrefix(prefix, api+"/") {
			prefix = strings.TrimPrefix(prefix, api)
			break
		}
	}
	host = parsed.Host
	if host == "docker.io" {
		host = name.DefaultRegistry
	}
	return host, strings.TrimPrefix(prefix, "/"), true
}

// Resolve gives the credentials for a repository, or none.
func (k keychain) Resolve(target authn.Resource) (authn.Authenticator, error) {
	host := target.RegistryStr()
	repository := strings.TrimPrefix(strings.TrimPrefix(target.String(), host), "/")
	for _, each := range k {
		if strings.HasPrefix(repository, each.path) && matchesHost(each.host, host) {
			return authn.FromConfig(each.auth), nil
		}
	}
	return authn.Anonymous, nil
}

// matchesHost holds a host against a pattern, label by label: a wildcard stands for what is between two dots.
func matchesHost(pattern, host string) bool {
	if pattern == host {
		return true
	}
	patterns, labels := strings.Split(pattern, "."), strings.Split(host, ".")
	if len(patterns) != len(labels) {
		return false
	}
	for i := range patterns {
		if matched, err := path.Match(patterns[i], labels[i]); err != nil || !matched {
			return false
		}
	}
	return true
}
