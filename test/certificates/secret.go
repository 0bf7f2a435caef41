package certificates

import (
	"context"
	"encoding/base64"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

func (p pair) data() map[string][]byte {
	return map[string][]byte{"tls.crt": p.certificate, "tls.key": p.key}
}

// newSecret returns a Secret of type kubernetes.io/tls in the owner's namespace. The owner reference makes Kubernetes delete the Secret
// with its owner.
func newSecret(owner *unstructured.Unstructured, name string, data map[string][]byte) *unstructured.Unstructured {
	encoded := map[string]any{}
	for key, value := range data {
		encoded[key] = base64.StdEncoding.EncodeToString(value)
	}
	secret := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls", "data": encoded,
	}}
	secret.SetName(name)
	secret.SetNamespace(owner.GetNamespace())
	secret.SetOwnerReferences([]metav1.OwnerReference{{
		APIVersion: owner.GetAPIVersion(), Kind: owner.GetKind(), Name: owner.GetName(), UID: owner.GetUID(),
	}})
	return secret
}

// put creates the Secret. If found is not nil, it replaces the existing Secret found instead.
func put(ctx context.Context, client dynamic.Interface, secret, found *unstructured.Unstructured) error {
	if found != nil {
		secret.SetResourceVersion(found.GetResourceVersion())
		return update(ctx, client, secrets, secret)
	}
	_, err := client.Resource(secrets).Namespace(secret.GetNamespace()).Create(ctx, secret, metav1.CreateOptions{})
	return err
}

func update(ctx context.Context, client dynamic.Interface, resource schema.GroupVersionResource, object *unstructured.Unstructured) error {
	var target dynamic.ResourceInterface = client.Resource(resource)
	if namespace := object.GetNamespace(); namespace != "" {
		target = client.Resource(resource).Namespace(namespace)
	}
	_, err := target.Update(ctx, object, metav1.UpdateOptions{})
	return err
}
