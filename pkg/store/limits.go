package store

import (
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	corev1listers "k8s.io/client-go/listers/core/v1"

	"github.com/openshift/platform-operators/pkg/limits"
)

const limitsFieldManager = "platform-operators-limits"

// Limits keeps what a PlatformOperatorManager limited in a ConfigMap, where it survives that and the manager's process. An admin can
// read it there, and the remedy in a condition does.
type Limits struct {
	namespace  string
	client     corev1client.ConfigMapInterface
	configMaps corev1listers.ConfigMapNamespaceLister
}

// NewLimits keeps it in a namespace, and reads it by a lister of that.
func NewLimits(namespace string, client corev1client.ConfigMapsGetter, configMaps corev1listers.ConfigMapLister) *Limits {
	return &Limits{namespace: namespace, client: client.ConfigMaps(namespace), configMaps: configMaps.ConfigMaps(namespace)}
}

// Read gives what is kept. It reads memory only; the error is a cache's.
func (l *Limits) Read() (limits.Stored, error) {
	stored := limits.Stored{Namespace: l.namespace}
	configMap, err := l.configMaps.Get(limits.ConfigMap)
	if apierrors.IsNotFound(err) {
		return stored, nil
	}
	if err != nil {
		return stored, fmt.Errorf("reading ConfigMap %q: %w", limits.ConfigMap, err)
	}
	stored.Record, stored.Fault = limits.Parse(configMap.Data)
	return stored, nil
}

// Write keeps a record in the place of what is kept.
func (l *Limits) Write(ctx context.Context, record limits.Record) error {
	data, err := record.Data()
	if err != nil {
		return err
	}
	live, err := l.configMaps.Get(limits.ConfigMap)
	switch {
	case apierrors.IsNotFound(err):
		_, err = l.client.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: limits.ConfigMap}, Data: data}, metav1.CreateOptions{FieldManager: limitsFieldManager})
	case err == nil && !maps.Equal(live.Data, data):
		updated := live.DeepCopy()
		updated.Data = data
		_, err = l.client.Update(ctx, updated, metav1.UpdateOptions{FieldManager: limitsFieldManager})
	}
	if err != nil {
		return fmt.Errorf("writing ConfigMap %q: %w", limits.ConfigMap, err)
	}
	return nil
}
