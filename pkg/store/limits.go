package store

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	corev1listers "k8s.io/client-go/listers/core/v1"

	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/limits"
)

const limitsFieldManager = "platform-operators-limits"

// Limits stores the limits of a PlatformOperatorManager in a ConfigMap, which outlives that object and the manager's process. Admins can
// read the ConfigMap; the remedy in a condition names it.
//
// After Limits has read or written a record, deletions and edits of the ConfigMap by others do not change what Read returns. So all
// controllers of a process share one Limits. It is safe for concurrent use.
type Limits struct {
	namespace   string
	client      corev1client.ConfigMapInterface
	configMaps  corev1listers.ConfigMapNamespaceLister
	deployments corelisters.BundleDeploymentLister

	mu      sync.Mutex
	record  *limits.Record
	loadErr error // of the last read of the ConfigMap; set only without a record
}

// NewLimits returns a Limits that stores limits in a namespace, and reads them with a lister. If no record is stored, the BundleDeployments
// show whether there must have been one.
func NewLimits(namespace string, client corev1client.ConfigMapsGetter, configMaps corev1listers.ConfigMapLister, deployments corelisters.BundleDeploymentLister) *Limits {
	return &Limits{namespace: namespace, client: client.ConfigMaps(namespace), configMaps: configMaps.ConfigMaps(namespace), deployments: deployments}
}

// Read returns the stored limits. It reads only from the listers and from memory, and returns an error if a lister does. If the record
// cannot be parsed, Fault holds the error.
func (l *Limits) Read() (limits.Stored, error) {
	stored := limits.Stored{Namespace: l.namespace}
	configMap, err := l.configMaps.Get(limits.ConfigMap)
	if err != nil && !apierrors.IsNotFound(err) {
		return stored, fmt.Errorf("reading ConfigMap %q: %w", limits.ConfigMap, err)
	}
	l.mu.Lock()
	if l.record == nil && err == nil {
		l.record, l.loadErr = limits.Parse(configMap.Data)
	}
	stored.Record, stored.Fault = l.record, l.loadErr
	l.mu.Unlock()
	if stored.Record == nil && stored.Fault == nil {
		stored.FirstInstallation, err = l.firstInstallation()
		return stored, err
	}
	return stored, nil
}

// firstInstallation returns the creation time of the oldest BundleDeployment of a PlatformOperator; zero if there is none.
// BundleDeployments that users create are not limited.
func (l *Limits) firstInstallation() (first time.Time, err error) {
	all, err := l.deployments.List(labels.Everything())
	if err != nil {
		return first, fmt.Errorf("listing BundleDeployments: %w", err)
	}
	for _, each := range all {
		owner := metav1.GetControllerOf(each)
		if owner == nil || owner.Kind != compat.KindPlatformOperator {
			continue
		}
		if created := each.CreationTimestamp.Time; first.IsZero() || created.Before(first) {
			first = created
		}
	}
	return first, nil
}

// Write replaces the stored record. It sends no request if the ConfigMap already contains the record.
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
	l.mu.Lock()
	defer l.mu.Unlock()
	l.record, l.loadErr = &record, nil
	return nil
}
