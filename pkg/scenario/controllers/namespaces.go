package controllers

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

const (
	// rootCAConfigMap is the name of the ConfigMap that contains the CA bundle with which Pods verify the API server.
	rootCAConfigMap = "kube-root-ca.crt"
	rootCA          = "-----BEGIN CERTIFICATE-----\nthe API server in memory has none\n-----END CERTIFICATE-----\n"
	// defaultServiceAccount is the name of the ServiceAccount that Pods use by default.
	defaultServiceAccount = "default"
)

// namespaces is the controller that creates the default objects of each Namespace, and deletes the content of terminating Namespaces.
type namespaces struct {
	graph     *graph
	collector *garbageCollector
	client    kubernetes.Interface
}

// handle implements controller.
func (n *namespaces) handle(ctx context.Context, before, now *object) error {
	either := now
	if either == nil {
		either = before
	}
	if either.resource == corev1.SchemeGroupVersion.WithResource("namespaces") {
		if now == nil {
			return nil
		}
		if now.deleting() {
			return n.finalize(ctx, now)
		}
		return n.ensureDefaults(ctx, now.Name)
	}
	if either.Namespace == "" || now != nil && !now.deleting() {
		return nil
	}
	namespace := n.graph.byKey[keyPrefix+"core/namespaces/"+either.Namespace]
	switch {
	case namespace == nil:
		return nil
	case namespace.deleting():
		return n.finalize(ctx, namespace)
	case now == nil:
		return n.ensureDefaults(ctx, namespace.Name)
	}
	return nil
}

// ensureDefaults creates the default ServiceAccount and root CA ConfigMap in a Namespace if they do not exist.
func (n *namespaces) ensureDefaults(ctx context.Context, name string) error {
	meta := func(name, namespace string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Name: name, Namespace: namespace}
	}
	if n.graph.byKey[keyPrefix+"core/serviceaccounts/"+name+"/"+defaultServiceAccount] == nil {
		account := &corev1.ServiceAccount{ObjectMeta: meta(defaultServiceAccount, name)}
		if _, err := n.client.CoreV1().ServiceAccounts(name).Create(ctx, account, metav1.CreateOptions{}); !isExpected(err) {
			return fmt.Errorf("creating ServiceAccount \"%s/%s\": %w", name, defaultServiceAccount, err)
		}
	}
	if n.graph.byKey[keyPrefix+"core/configmaps/"+name+"/"+rootCAConfigMap] == nil {
		authorities := &corev1.ConfigMap{ObjectMeta: meta(rootCAConfigMap, name), Data: map[string]string{"ca.crt": rootCA}}
		if _, err := n.client.CoreV1().ConfigMaps(name).Create(ctx, authorities, metav1.CreateOptions{}); !isExpected(err) {
			return fmt.Errorf("creating ConfigMap \"%s/%s\": %w", name, rootCAConfigMap, err)
		}
	}
	return nil
}

// isExpected reports whether a creation succeeded, or failed because the object exists or its Namespace is terminating or deleted.
func isExpected(err error) bool {
	return err == nil || apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err) || apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause)
}

// finalize deletes the objects in a terminating Namespace, and updates the Namespace's status. When no object is left, it removes the
// finalizer "kubernetes" from spec.finalizers.
func (n *namespaces) finalize(ctx context.Context, namespace *object) error {
	content := n.graph.in(namespace.Name)
	for _, o := range content {
		if o.deleting() {
			continue
		}
		if err := n.collector.delete(ctx, o, metav1.DeletePropagationBackground); err != nil {
			return err
		}
	}
	live, err := n.client.CoreV1().Namespaces().Get(ctx, namespace.Name, metav1.GetOptions{})
	if err != nil || live.UID != namespace.UID {
		return ignoreStale(namespace, err)
	}
	if len(content) > 0 {
		return n.updateStatus(ctx, namespace, live, content)
	}
	if !slices.Contains(live.Spec.Finalizers, corev1.FinalizerKubernetes) {
		return nil
	}
	live.Spec.Finalizers = slices.DeleteFunc(live.Spec.Finalizers, func(name corev1.FinalizerName) bool { return name == corev1.FinalizerKubernetes })
	_, err = n.client.CoreV1().Namespaces().Finalize(ctx, live, metav1.UpdateOptions{})
	return ignoreStale(namespace, err)
}
