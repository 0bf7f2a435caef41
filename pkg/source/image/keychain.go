package image

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/authn/kubernetes"
	"github.com/google/go-containerregistry/pkg/name"
	corev1 "k8s.io/api/core/v1"
)

// login is one entry of a Docker configuration file.
type login struct {
	host, path string
	auth       authn.AuthConfig
}

// newKeychain returns a keychain for a Docker configuration. As in the kubelet, a key is a registry, or a registry and a path prefix, and
// its host may contain wildcards. A longer path takes precedence, then a host without wildcards. The library would sort the keys as text,
// so newKeychain creates one keychain for each key and combines them in this order. Errors may quote credentials.
func newKeychain(ctx context.Context, auths map[string]authn.AuthConfig) (authn.Keychain, error) {
	var logins []login
	for key, auth := range auths {
		if host, path, ok := splitKey(key); ok {
			logins = append(logins, login{host, path, auth})
		}
	}
	slices.SortFunc(logins, func(a, b login) int {
		return cmp.Or(
			cmp.Compare(len(b.path), len(a.path)),
			cmp.Compare(strings.Count(a.host, "*"), strings.Count(b.host, "*")),
			cmp.Compare(a.host, b.host), cmp.Compare(a.path, b.path),
		)
	})
	var keychains []authn.Keychain
	for _, each := range logins {
		keychain, err := each.keychain(ctx)
		if err != nil {
			return nil, err
		}
		keychains = append(keychains, keychain)
	}
	return authn.NewMultiKeychain(keychains...), nil
}

func (l login) keychain(ctx context.Context) (authn.Keychain, error) {
	content, err := json.Marshal(map[string]any{"auths": map[string]any{l.host + l.path: l.auth}})
	if err != nil {
		return nil, fmt.Errorf("encoding credentials: %w", err)
	}
	return kubernetes.NewFromPullSecrets(ctx, []corev1.Secret{{
		Type: corev1.SecretTypeDockerConfigJson, Data: map[string][]byte{corev1.DockerConfigJsonKey: content},
	}})
}

// splitKey returns the host and the path of a key, such as "quay.io/team" or "https://index.docker.io/v1/". It removes the path of the
// registry API. If ok is false, the key is invalid and must be ignored, as the kubelet does.
func splitKey(key string) (host, path string, ok bool) {
	parsed, err := url.Parse("https://" + strings.TrimPrefix(strings.TrimPrefix(key, "https://"), "http://"))
	if err != nil || parsed.Host == "" {
		return "", "", false
	}
	host, path = parsed.Host, parsed.Path
	if host == "docker.io" {
		host = name.DefaultRegistry
	}
	for _, api := range []string{"/v1", "/v2"} {
		if path == api || strings.HasPrefix(path, api+"/") {
			path = strings.TrimPrefix(path, api)
			break
		}
	}
	if path == "/" {
		path = ""
	}
	return host, path, true
}
