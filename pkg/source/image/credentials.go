package image

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
)

// PullSecrets is where credentials come from. Secrets are read at every fetch and never kept, so that one that is rotated
// counts from the next fetch on.
type PullSecrets struct {
	// Client reads Secrets; it needs "get" on those named below and no other right.
	Client corev1client.SecretsGetter
	// Namespace holds the Secrets that sources name.
	Namespace string
	// Global is used for sources that name none; it may be missing, and then these are fetched anonymously.
	Global types.NamespacedName
}

// anonymous has no credentials.
var anonymous = authn.NewMultiKeychain()

// secretTimeout bounds reading one Secret.
const secretTimeout = 30 * time.Second

// keychain reads the credentials for a source.
func (p *PullSecrets) keychain(ctx context.Context, named string) (authn.Keychain, error) {
	if p == nil {
		if named != "" {
			return nil, marked(Credentials, "pull secret %q cannot be read here", named)
		}
		return anonymous, nil
	}
	key := p.Global
	if named != "" {
		key = types.NamespacedName{Namespace: p.Namespace, Name: named}
	}
	if key.Name == "" {
		return anonymous, nil
	}
	ctx, cancel := context.WithTimeout(ctx, secretTimeout)
	defer cancel()
	secret, err := p.Client.Secrets(key.Namespace).Get(ctx, key.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err) && named == "":
		return anonymous, nil
	case apierrors.IsNotFound(err):
		return nil, marked(Credentials, "pull secret %q is not there", key)
	case err != nil:
		return nil, marked(Credentials, "reading pull secret %q: %w", key, err)
	}
	auths, err := authsOf(secret)
	if err != nil {
		return nil, err
	}
	found, err := newKeychain(ctx, auths)
	if err != nil { // the error could quote what the Secret contains
		return nil, marked(Credentials, "pull secret %q has credentials that cannot be used", key)
	}
	return found, nil
}

// authsOf takes the credentials, by registry, out of a Secret. Errors say nothing of what the Secret holds, which is why
// those of the JSON decoder are left out: they quote it.
func authsOf(secret *corev1.Secret) (map[string]authn.AuthConfig, error) {
	key := types.NamespacedName{Namespace: secret.Namespace, Name: secret.Name}
	switch secret.Type {
	case corev1.SecretTypeDockerConfigJson:
		var file struct {
			Auths map[string]authn.AuthConfig `json:"auths"`
		}
		if json.Unmarshal(secret.Data[corev1.DockerConfigJsonKey], &file) != nil {
			return nil, marked(Credentials, `pull secret %q: its %s is not of the form {"auths": {"registry": {"auth": "…"}}}`, key, corev1.DockerConfigJsonKey)
		}
		return file.Auths, nil
	case corev1.SecretTypeDockercfg:
		var auths map[string]authn.AuthConfig
		if json.Unmarshal(secret.Data[corev1.DockerConfigKey], &auths) != nil {
			return nil, marked(Credentials, `pull secret %q: its %s is not of the form {"registry": {"auth": "…"}}`, key, corev1.DockerConfigKey)
		}
		return auths, nil
	}
	return nil, marked(Credentials, "pull secret %q is of type %q", key, secret.Type)
}
