package image

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/authn/kubernetes"
	"github.com/google/go-containerregistry/pkg/name"
	corev1 "k8s.io/api/core/v1"
)

// newKeychain returns a keychain that matches keys of a docker configuration with repositories as the kubelet does, so that a
// pull secret that works for a Pod works here. Errors do not quote the credentials.
func newKeychain(ctx context.Context, auths map[string]authn.AuthConfig) (authn.Keychain, error) {
	valid := map[string]authn.AuthConfig{}
	for key, auth := range auths {
		if isKey(key) {
			valid[canonicalKey(key)] = auth
		}
	}
	content, err := json.Marshal(map[string]any{"auths": valid})
	if err != nil {
		return nil, fmt.Errorf("encoding credentials: %w", err)
	}
	return kubernetes.NewFromPullSecrets(ctx, []corev1.Secret{{
		Type: corev1.SecretTypeDockerConfigJson, Data: map[string][]byte{corev1.DockerConfigJsonKey: content},
	}})
}

// isKey reports whether a key can be read. The kubelet ignores others; the library refuses the whole Secret.
func isKey(key string) bool {
	parsed, err := url.Parse("https://" + trimScheme(key))
	return err == nil && parsed.Host != ""
}

// canonicalKey returns the key without its scheme, and with the registry's own name for docker.io.
func canonicalKey(key string) string {
	key = trimScheme(key)
	if host, path, _ := strings.Cut(key, "/"); host == "docker.io" {
		return strings.TrimSuffix(name.DefaultRegistry+"/"+path, "/")
	}
	return key
}

func trimScheme(key string) string {
	return strings.TrimPrefix(strings.TrimPrefix(key, "https://"), "http://")
}
