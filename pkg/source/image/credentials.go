package image

import (
	"cmp"
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

// PullSecrets reads registry credentials from Secrets. It reads them at every fetch and caches nothing, so that a rotated Secret applies to
// the next fetch.
type PullSecrets struct {
	// Client reads Secrets. It needs permission to get the Secrets named below and those that sources name, and no other permission.
	Client corev1client.SecretsGetter
	// Namespace is the namespace of the Secrets that sources name, unless the source has another one.
	Namespace string
	// Global is the Secret for sources without a pull secret. If it does not exist, they are fetched anonymously.
	Global types.NamespacedName
}

// anonymous is a keychain without credentials.
var anonymous = authn.NewMultiKeychain()

// secretTimeout is the timeout for reading one Secret.
const secretTimeout = 30 * time.Second

// keychain returns the credentials in the pull secret of a source, which must exist. If the source names none, it returns the credentials in
// Global, or anonymous if p is nil or Global does not exist.
func (p *PullSecrets) keychain(ctx context.Context, from Source) (authn.Keychain, error) {
	named := from.PullSecret
	if p == nil {
		if named != "" {
			return nil, marked(Credentials, "pull secret %q cannot be read: the manager has no access to Secrets", named)
		}
		return anonymous, nil
	}
	key := p.Global
	if named != "" {
		key = types.NamespacedName{Namespace: cmp.Or(from.SecretNamespace, p.Namespace), Name: named}
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
		return nil, marked(Credentials, "pull secret %q does not exist", key)
	case err != nil:
		return nil, marked(SecretUnread, "reading pull secret %q: %w", key, err)
	}
	auths, err := authsOf(secret)
	if err != nil {
		return nil, err
	}
	found, err := newKeychain(ctx, auths)
	if err != nil { // the error could quote the Secret's content
		return nil, marked(Credentials, `pull secret %q: an entry cannot be decoded; its key must be a registry, with or without a path, and it `+
			`must have "auth" (base64 of user:password), or "username" and "password"`, key)
	}
	return found, nil
}

// authsOf returns the credentials in a Secret, keyed by registry. Its errors must not disclose the Secret's content, so they omit the JSON
// decoder's error, which quotes it.
func authsOf(secret *corev1.Secret) (map[string]authn.AuthConfig, error) {
	key := types.NamespacedName{Namespace: secret.Namespace, Name: secret.Name}
	switch secret.Type {
	case corev1.SecretTypeDockerConfigJson:
		var file struct {
			Auths map[string]authn.AuthConfig `json:"auths"`
		}
		if json.Unmarshal(secret.Data[corev1.DockerConfigJsonKey], &file) != nil {
			return nil, marked(Credentials, `pull secret %q: its %s is not of the form {"auths": {"registry": {"auth": "…"}}} with base64 of `+
				`user:password as auth`, key, corev1.DockerConfigJsonKey)
		}
		return file.Auths, nil
	case corev1.SecretTypeDockercfg:
		var auths map[string]authn.AuthConfig
		if json.Unmarshal(secret.Data[corev1.DockerConfigKey], &auths) != nil {
			return nil, marked(Credentials, `pull secret %q: its %s is not of the form {"registry": {"auth": "…"}} with base64 of user:password `+
				`as auth`, key, corev1.DockerConfigKey)
		}
		return auths, nil
	}
	return nil, marked(Credentials, "pull secret %q is of type %q", key, secret.Type)
}
